import Testing

extension InBrowser {

  @Suite struct SignUp {

    @Test func messagesAndTheButtonFollowTheRules() async throws {
      try await App.run { app, browser in
        try await app.open("sign-up", in: browser)
        let name = try await browser.find("#name")
        let password = try await browser.find("#password")
        let repetition = try await browser.find("#repetition")
        let submit = try await browser.find("#submit")
        #expect(try await !submit.isEnabled)

        try await name.type("ad")
        try await browser.wait(for: "At least 3 characters.", in: "#name-message")
        try await name.type("a")
        try await browser.wait(for: "", in: "#name-message")

        try await password.type("secret")
        try await browser.wait(for: "At least 8 characters.", in: "#password-message")
        try await password.type("ive")
        try await browser.wait(for: "", in: "#password-message")

        try await repetition.type("secretiv")
        try await browser.wait(for: "Not the same password.", in: "#repetition-message")
        #expect(try await !submit.isEnabled)
        try await browser.keepScreenshot("sign-up")
        try await repetition.type("e")
        try await browser.wait(for: "", in: "#repetition-message")
        try await browser.wait(for: "a button to press", read: { try await submit.isEnabled }, until: \.self)

        // A click on the button signs up and empties the form.
        try await submit.click()
        try await browser.wait(for: "Welcome, ada.", in: "#account")
        for field in [name, password, repetition] {
          try await browser.wait(for: "an empty field", read: { try await field.value }, until: \.isEmpty)
        }
        try await browser.wait(for: "a grey button", read: { try await submit.isEnabled }, until: { !$0 })
      }
    }

    @Test func markupInANameIsShownAsTextAndNoPasswordIsShown() async throws {
      try await App.run { app, browser in
        try await app.open("sign-up", in: browser)
        try await browser.find("#name").type("<i>ada</i>")
        try await browser.find("#password").type("secretive")
        try await browser.find("#repetition").type("secretive")
        let submit = try await browser.find("#submit")
        try await browser.wait(for: "a button to press", read: { try await submit.isEnabled }, until: \.self)
        try await submit.click()
        try await browser.wait(for: "Welcome, <i>ada</i>.", in: "#account")
        #expect(try await browser.findAll("#account *").isEmpty)
        #expect(try await !browser.find("#stages").text.contains("secret"))
      }
    }
  }
}
