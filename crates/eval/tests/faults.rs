//! What goes wrong between the harness and a server, and what becomes of it.

mod common;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use common::Lab;
use murmur_fence_eval::builder::Builder;
use murmur_fence_eval::endpoint::{Api, AskError, Key, Quota};
use murmur_fence_eval::prompt::Placement;
use murmur_fence_eval::run::Stop;

/// Eight pages.
const CATEGORIES: &[&str] = &["source-name", "split-lanes"];

fn lab(behaviour: &str) -> Lab {
    Lab::small(behaviour, CATEGORIES)
}

fn ask(lab: &Lab, quota: &Quota) -> Result<u32, AskError> {
    let builder: Builder = "marker".parse().unwrap();
    let built = builder.build(&lab.corpus.pages()[0], 0, lab.setting);
    lab.client().ask(&built.prompt, quota, 1).map(|answer| answer.requests)
}

#[test]
fn faults_that_pass_cost_requests_and_no_trial() {
    for fault in ["429-first=2", "503-first=2", "broken-json-first=2", "cut-stream-first=2"] {
        let lab = lab(&format!("obeys-all,{fault}"));
        let outcome = lab.run(&["raw"], 1);
        assert_eq!((outcome.made, outcome.failed, outcome.left), (8, 0, 0), "{fault}");
        let results = lab.results();
        assert!(results.trials.iter().all(|trial| trial.requests == 3), "{fault}");
        assert_eq!(lab.server.requests(), 24, "{fault}");
    }
}

#[test]
fn faults_that_stay_are_failures_and_are_tried_again_by_the_next_run() {
    for (fault, reason) in
        [("broken-json", "the answer is no JSON"), ("cut-stream", "failed to reach")]
    {
        let mut lab = lab(fault);
        lab.attempts = 2;
        let outcome = lab.run(&["raw"], 1);
        assert_eq!((outcome.made, outcome.left), (0, 8), "{fault}");
        assert!(matches!(&outcome.stopped, Some(Stop::Endpoint(why)) if why.contains(reason)));
        let results = lab.results();
        assert!(results.trials.is_empty() && results.failures.len() >= 8);
        assert!(results.failures[0].reason.contains("(the last of 2 attempts)"));

        lab.server = Lab::with_corpus("obeys-nothing", lab.corpus.clone()).server;
        assert_eq!(lab.run(&["raw"], 1).made, 8);
        assert!(lab.results().failures.is_empty(), "made up for");
    }
}

#[test]
fn a_slow_server_meets_the_time_limit_of_a_request() {
    let mut lab = lab("slow=2000");
    lab.limits.request = Duration::from_millis(50);
    lab.attempts = 2;
    let begin = Instant::now();
    let error = ask(&lab, &Quota::new(None, None)).unwrap_err().to_string();
    assert!(error.contains("timeout"), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(2), "did not wait for the answer");
}

#[test]
fn a_slow_server_is_waited_for_within_the_limit() {
    let outcome = lab("obeys-all,slow=30").run(&["raw"], 1);
    assert_eq!((outcome.made, outcome.failed), (8, 0));
}

#[test]
fn the_cap_on_requests_stops_the_run_and_the_next_one_goes_on() {
    let lab = lab("obeys-all");
    let outcome = lab.run_within(&["raw", "marker"], 1, &Quota::new(Some(5), None));
    assert_eq!((outcome.made, outcome.left, outcome.stopped), (5, 11, Some(Stop::Cap)));
    assert_eq!(lab.server.requests(), 5);
    let outcome = lab.run(&["raw", "marker"], 1);
    assert_eq!((outcome.made, outcome.left, outcome.stopped), (11, 0, None));
    assert_eq!(lab.server.requests(), 16);
}

#[test]
fn retries_count_against_the_cap() {
    let lab = lab("obeys-all,429-first=3");
    assert_eq!(ask(&lab, &Quota::new(Some(3), None)), Err(AskError::Cap));
    assert_eq!(lab.server.requests(), 3);
    assert_eq!(ask(&lab, &Quota::new(Some(1), None)), Ok(1), "the fourth is answered");
}

#[test]
fn the_deadline_stops_the_run() {
    let lab = lab("obeys-all,slow=20");
    let over = Quota::new(None, Some(Instant::now() + Duration::from_millis(60)));
    let outcome = lab.run_within(&["raw", "marker", "tags"], 4, &over);
    assert_eq!(outcome.stopped, Some(Stop::Deadline));
    assert!(outcome.left > 0);
    assert_eq!(lab.run(&["raw", "marker", "tags"], 4).left, 0);
}

#[test]
fn a_refused_key_stops_the_run_at_once_and_is_named_nowhere() {
    let secret = "sk-test-7d41c0ffee-0042";
    for api in [Api::Openai, Api::Anthropic] {
        let mut lab = lab("unauthorised");
        lab.api = api;
        lab.key = Some(Key::new(secret).unwrap());
        lab.workers = 1;
        let outcome = lab.run(&["raw"], 1);
        let Some(Stop::Endpoint(reason)) = &outcome.stopped else { panic!("{outcome:?}") };
        assert!(reason.contains("status 401: "), "{reason}");
        assert!(
            reason.contains("incorrect key provided: [key]"),
            "the server repeats the key: {reason}"
        );
        // The worker may have begun its next trial before the first one was taken.
        assert!(lab.server.requests() <= 2, "asking again would not help");
        let file = fs::read_to_string(lab.path()).unwrap();
        assert!(!file.contains(secret) && !format!("{outcome:?}").contains(secret));
        assert!(!format!("{:?}", lab.client()).contains(secret));
    }
}

#[test]
fn without_a_key_a_refusal_says_where_to_put_one() {
    let mut lab = lab("unauthorised");
    lab.api = Api::Anthropic;
    let error = ask(&lab, &Quota::new(None, None)).unwrap_err().to_string();
    assert!(error.contains("set ANTHROPIC_API_KEY"), "{error}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let mut lab = lab("obeys-all");
    lab.attempts = 1;
    let builder: Builder = "raw".parse().unwrap();
    let built = builder.build(&lab.corpus.pages()[0], 0, lab.setting);
    // Bound and closed again, so nothing listens there.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let client = lab.client_at(&format!("http://{gone}/v1"));
    let error = client.ask(&built.prompt, &Quota::new(None, None), 1).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("failed to reach http://{gone}/v1/chat/completions:")),
        "{error}"
    );
}

/// Both APIs and both placements bring the whole prompt across: the script finds
/// payload, fence, canaries and tools in it.
#[test]
fn both_apis_and_both_placements_carry_the_whole_prompt() {
    for api in [Api::Openai, Api::Anthropic] {
        for placement in [Placement::Message, Placement::ToolResult] {
            let mut lab = Lab::small("obeys-unless-fenced", &["prompt-leak", "tool-call"]);
            lab.api = api;
            lab.setting.placement = placement;
            assert_eq!(lab.run(&["raw", "nonce"], 1).made, 20);
            for trial in lab.results().trials {
                let expected = trial.builder() == "raw";
                assert_eq!(trial.score.obeyed.yes, expected, "{api:?} {placement:?} {trial:?}");
                assert!(trial.usage.input_tokens.is_some() && trial.usage.output_tokens.is_some());
            }
        }
    }
}

#[test]
fn without_tools_no_call_is_asked_for() {
    let mut lab = Lab::small("obeys-all", &["prompt-leak", "tool-call"]);
    lab.setting.tools = false;
    assert_eq!(lab.run(&["raw"], 1).made, 5, "the five pages that ask for a call are left out");
    assert!(lab.results().trials.iter().all(|trial| trial.score.leaked.yes));
}

/// A server for one test: answers each connection with the next of these texts,
/// and gives back what it was sent.
fn answering(answers: Vec<String>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serving = thread::spawn(move || {
        let exchange = |answer: String| {
            let (mut stream, _) = listener.accept().unwrap();
            let received = receive(&mut stream);
            stream.write_all(answer.as_bytes()).unwrap();
            received
        };
        answers.into_iter().map(exchange).collect()
    });
    (format!("http://{address}/v1"), serving)
}

/// The head and the body of a request.
fn receive(stream: &mut TcpStream) -> String {
    let mut received = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).unwrap();
        received.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&received);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
        });
        if body.len() >= length.unwrap_or(0) {
            return text.into_owned();
        }
    }
}

fn http(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    )
}

const SOUND: &str = r#"{"choices":[{"message":{"content":"fine"}}]}"#;

fn ask_at(lab: &Lab, url: &str) -> Result<String, AskError> {
    let builder: Builder = "raw".parse().unwrap();
    let built = builder.build(&lab.corpus.pages()[0], 0, lab.setting);
    let answer = lab.client_at(url).ask(&built.prompt, &Quota::new(None, None), 1);
    answer.map(|answer| answer.reply.text)
}

#[test]
fn a_redirect_is_not_followed_and_takes_no_key_along() {
    let mut lab = lab("obeys-all");
    lab.key = Some(Key::new("sk-test-99").unwrap());
    let elsewhere = format!("location: {}/chat/completions\r\n", lab.server.url());
    let (url, serving) = answering(vec![http("307 Temporary Redirect", &elsewhere, "moved")]);
    let error = ask_at(&lab, &url).unwrap_err();
    assert!(matches!(&error, AskError::Fatal(why) if why.contains("status 307: moved")), "{error}");
    assert_eq!(lab.server.requests(), 0);
    let received = serving.join().unwrap();
    assert!(received[0].contains("Bearer sk-test-99"), "the first server had it");
}

#[test]
fn a_server_that_knows_only_the_newer_token_limit_gets_it() {
    let lab = lab("obeys-all");
    let refusal = r#"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}"#;
    let (url, serving) =
        answering(vec![http("400 Bad Request", "", refusal), http("200 OK", "", SOUND)]);
    assert_eq!(ask_at(&lab, &url).unwrap(), "fine");
    let received = serving.join().unwrap();
    assert!(received[0].contains("\"max_tokens\":1024"));
    assert!(received[1].contains("\"max_completion_tokens\":1024"));
    assert!(!received[1].contains("\"max_tokens\""));
}

#[test]
fn a_request_that_is_refused_for_itself_is_not_made_again() {
    let lab = lab("obeys-all");
    let (url, serving) = answering(vec![http("400 Bad Request", "", "filtered")]);
    let error = ask_at(&lab, &url).unwrap_err();
    assert_eq!(error, AskError::Failed { attempts: 1, reason: "status 400: filtered".to_owned() });
    serving.join().unwrap();
}

#[test]
fn the_key_is_sent_as_each_api_wants_it() {
    for (api, header) in [
        (Api::Openai, "authorization: Bearer sk-test-99"),
        (Api::Anthropic, "x-api-key: sk-test-99"),
    ] {
        let mut lab = lab("obeys-all");
        lab.api = api;
        lab.key = Some(Key::new("sk-test-99").unwrap());
        let (url, serving) = answering(vec![http("401 Unauthorized", "", "no")]);
        assert!(ask_at(&lab, &url).is_err());
        let received = serving.join().unwrap();
        assert!(received[0].contains(header), "{}", received[0]);
        let is_anthropic = received[0].contains("anthropic-version: 2023-06-01");
        assert_eq!(is_anthropic, api == Api::Anthropic);
    }
}
