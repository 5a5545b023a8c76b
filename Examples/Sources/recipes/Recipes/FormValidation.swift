import Combine

/// 15: messages and a button that depend on the texts in three fields.
///
/// The pipelines are in `Models/SignUpForm.swift`.
struct FormValidation: Recipe {
  let number = 15
  let title = "Form validation"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let form = SignUpForm()
    let button = form.$canSubmit.removeDuplicates().sink { timeline.log($0 ? "button enabled" : "button disabled") }

    func expect(_ name: String, _ password: String, _ repetition: String) {
      timeline.expect(
        "messages",
        [form.nameMessage, form.passwordMessage, form.repetitionMessage],
        [name, password, repetition]
      )
    }

    // An untouched form shows no message, but cannot be sent.
    expect("", "", "")

    // Minimum lengths.
    form.name = "ad"
    form.password = "secret"
    expect("At least 3 characters.", "At least 8 characters.", "")
    form.name = "ada"
    form.password = "secretive"
    expect("", "", "")

    // The two passwords must match.
    form.repetition = "secretiv"
    expect("", "", "Not the same password.")
    timeline.expect(["button disabled"])
    form.repetition = "secretive"
    expect("", "", "")
    timeline.expect(["button enabled"])

    // A mistake in any field disables the button again.
    form.password = "secretive!"
    expect("", "", "Not the same password.")
    form.password = "secretive"
    form.name = "a"
    form.submit()
    timeline.expect("account", form.account, nil)
    form.name = "ada"
    timeline.expect(["button disabled", "button enabled", "button disabled", "button enabled"])

    form.submit()
    timeline.expect("account", form.account, "ada")
    timeline.expect("fields", [form.name, form.password, form.repetition], ["", "", ""])
    timeline.expect(["button disabled"])
    button.cancel()
  }
}
