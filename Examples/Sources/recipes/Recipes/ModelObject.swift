import Combine

/// 18: an observable object drives a view, which reads the object again after each change.
///
/// The object is `SignUpForm`, in `Models/SignUpForm.swift`.
struct ModelObject: Recipe {
  let number = 18
  let title = "Model object"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let form = SignUpForm()
    var view: Set<AnyCancellable> = []

    // This is sent before the change, once for each property that changes.
    form.objectWillChange.sink { timeline.log("will change from \(form.name)") }.store(in: &view)
    form.name = "ada"
    timeline.expect("name", form.name, "ada")
    timeline.log("changed")
    timeline.expect(["will change from ", "will change from ", "changed"])
    view = []

    // A view shows the properties after the change, here as a line of text.
    form.values(of: \.nameMessage).sink { timeline.log("shown: \($0)") }.store(in: &view)
    timeline.expect(["shown: "])
    form.name = "ad"
    timeline.expect([])
    try timeline.wait(for: "shown: At least 3 characters.")
    form.name = "ada"
    try timeline.wait(for: "shown: ")
    timeline.expect(["shown: At least 3 characters.", "shown: "])
    view = []

    // A publisher derived from properties.
    form.validPassword.sink { timeline.log("password: \($0 ?? "none")") }.store(in: &view)
    form.password = "secretive"
    form.repetition = "secretive"
    form.repetition = ""
    timeline.expect(["password: none", "password: none", "password: secretive", "password: none"])
    view = []
  }
}
