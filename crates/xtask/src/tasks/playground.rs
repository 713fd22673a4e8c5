//! The playground: a page that runs the component.

use std::fs;
use std::process::Command;

use xtask::{Error, show};

use super::node::{Workshop, copy};
use super::{Failure, say};

/// The files of the page, beside the package of the component.
const PAGE: [&str; 3] = ["index.html", "style.css", "app.js"];

/// Makes the page and serves it on this machine until it is stopped.
pub fn playground(port: u16) -> Result<(), Failure> {
    let workshop = Workshop::set_up()?;
    workshop.make_page()?;
    say("serving the page until it is stopped");
    let mut serve = Command::new("node");
    serve.current_dir(&workshop.directory).args(["playground/serve.js", "site"]);
    Ok(show(serve.arg(port.to_string()))?)
}

/// Tests the examples in JavaScript: Node, then the page where there is a browser.
pub fn javascript() -> Result<(), Failure> {
    let workshop = Workshop::set_up()?;
    workshop.make_page()?;
    workshop.cases()?;
    workshop.test_node()?;
    say("running the tests of the playground");
    let mut test = Command::new("node");
    test.current_dir(&workshop.directory).args(["--test", "playground/test/playground.test.js"]);
    match xtask::chromium() {
        Some(chromium) => _ = test.env("MURMUR_CHROMIUM", chromium),
        None => say("NOT TESTED: the playground in a browser, for there is no chromium on PATH"),
    }
    Ok(show(&mut test)?)
}

impl Workshop {
    fn make_page(&self) -> Result<(), Failure> {
        let site = self.directory.join("site");
        copy(&self.directory.join("murmur-fence"), &site.join("murmur-fence"))?;
        for file in PAGE {
            let (from, to) = (self.directory.join("playground").join(file), site.join(file));
            fs::copy(&from, to).map_err(Error::file("copy", from))?;
        }
        Ok(())
    }
}
