//! Each way a call can end, and that the next call is not the worse for it.

mod guest;

use murmur_fence_host::{CallError, Component, Fence, Limits, Writer, WriterError};
use std::thread;
use std::time::Duration;

const TIME: Duration = Duration::from_millis(200);

fn limits() -> Limits {
    Limits::default().memory_bytes(8 << 20).call_time(TIME).instances(4)
}

fn load(limits: &Limits) -> Fence {
    Component::from_bytes(&guest::fence(), limits).unwrap().fence()
}

/// Calls it twice and then well, so that a bad end neither sticks nor takes a
/// place of the pool with it.
fn ends(fence: &Fence, content: &str) -> CallError {
    let error = fence.wrap("", content).unwrap_err();
    for _ in 0..8 {
        assert_eq!(fence.wrap("", content).unwrap_err(), error);
    }
    assert_eq!(fence.wrap("", "hello").unwrap(), "hello");
    error
}

#[test]
fn a_trap_is_reported_with_its_reason() {
    let fence = load(&limits());
    let CallError::Trapped { reason } = ends(&fence, "trap") else { panic!() };
    assert!(reason.contains("unreachable"), "{reason}");
}

#[test]
fn an_answer_that_is_no_string_is_a_trap() {
    let fence = load(&limits());
    let CallError::Trapped { reason } = ends(&fence, "utf-8") else { panic!() };
    assert!(reason.contains("utf-8"), "{reason}");
}

#[test]
fn an_endless_call_is_ended() {
    let fence = load(&limits().call_time(Duration::from_millis(20)));
    let limit = Duration::from_millis(20);
    assert_eq!(ends(&fence, "loop"), CallError::TimedOut { limit });
}

#[test]
fn memory_beyond_the_limit_is_refused() {
    let fence = load(&limits());
    assert_eq!(ends(&fence, "memory"), CallError::OutOfMemory { limit: 8 << 20 });
}

#[test]
fn an_input_that_the_memory_cannot_hold_is_want_of_memory() {
    let fence = load(&limits());
    let text = "x".repeat(9 << 20);
    assert_eq!(ends(&fence, &text), CallError::OutOfMemory { limit: 8 << 20 });
}

#[test]
fn an_instance_that_the_memory_cannot_hold_is_want_of_memory() {
    let fence = load(&limits().memory_bytes(1000));
    let error = fence.wrap("", "hello").unwrap_err();
    assert_eq!(error, CallError::OutOfMemory { limit: 1000 });
}

#[test]
fn input_is_counted_over_all_arguments_and_items() {
    let fence = load(&limits().input_bytes(10));
    assert_eq!(fence.wrap("12345", "67890").unwrap(), "67890");
    let too_large = |len| CallError::InputTooLarge { len, limit: 10 };
    assert_eq!(fence.wrap("12345", "678901").unwrap_err(), too_large(11));
    // Two strings of a list: what each takes in the list, and their bytes.
    assert_eq!(fence.neutralise_all(&["", "1"]).unwrap_err(), too_large(17));
}

#[test]
fn an_answer_beyond_the_limit_is_refused() {
    let fence = load(&limits().output_bytes(4095));
    assert_eq!(ends(&fence, "answer"), CallError::OutputTooLarge { limit: 4095 });
    let fence = load(&limits().output_bytes(4096));
    assert_eq!(fence.wrap("", "answer").unwrap().len(), 4096);
}

#[test]
fn an_idle_instance_is_reused() {
    let fence = load(&limits());
    assert_eq!(fence.wrap("", "n").unwrap(), "1");
    assert_eq!(fence.wrap("", "n").unwrap(), "2");
    assert!(fence.wrap("", "trap").is_err());
    assert_eq!(fence.wrap("", "n").unwrap(), "1");
}

#[test]
fn an_instance_that_grew_beyond_the_keep_size_is_dropped() {
    let small = load(&limits().keep_bytes(1 << 20));
    assert_eq!(small.wrap("", "n").unwrap(), "1");
    assert_eq!(small.wrap("", "grow").unwrap(), "grow");
    assert_eq!(small.wrap("", "n").unwrap(), "1");

    let large = load(&limits().keep_bytes(4 << 20));
    assert_eq!(large.wrap("", "grow").unwrap(), "grow");
    assert_eq!(large.wrap("", "n").unwrap(), "2");
}

#[test]
fn a_call_waits_for_an_instance_and_not_for_ever() {
    let component = Component::from_bytes(
        &guest::conversation(),
        &limits().instances(2).wait(Duration::from_millis(20)),
    )
    .unwrap();
    let fence = component.fence();
    let conversation = component.conversation(None).unwrap();
    let mut writer = fence.writer("").unwrap();
    assert_eq!(conversation.read_messages(None, 1).unwrap().unwrap().total, 1);

    // A writer and a conversation hold one instance each.
    let error = fence.wrap("", "hello").unwrap_err();
    assert!(matches!(error, CallError::NoFreeInstance { limit: 2, .. }), "{error:?}");
    assert_eq!(writer.write("still here").unwrap().unwrap(), "still here");

    drop(conversation);
    assert_eq!(fence.wrap("", "hello").unwrap(), "hello");
    // The idle instance makes room for a conversation.
    let conversation = component.conversation(None).unwrap();
    assert_eq!(conversation.read_messages(None, 1).unwrap().unwrap().total, 1);
}

#[test]
fn a_waiting_call_gets_the_instance_that_comes_free() {
    let fence = load(&limits().instances(1).wait(Duration::from_secs(60)));
    let writer = fence.writer("").unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| fence.wrap("", "hello"));
        // Whether the thread waits already makes no difference to the result.
        drop(writer);
        assert_eq!(waiting.join().unwrap().unwrap(), "hello");
    });
}

#[test]
fn a_writer_passes_chunks_and_refusals_on() {
    let fence = load(&limits());
    let mut writer = fence.writer("tool:x").unwrap();
    assert_eq!(writer.write("one").unwrap(), Ok("one".into()));
    assert_eq!(writer.finish().unwrap(), Err(WriterError::Finished));
    let limit = 8 << 20;
    let text = "x".repeat(9 << 20);
    assert_eq!(writer.write(&text).unwrap_err(), CallError::OutOfMemory { limit });
    // Its instance is gone, and with it the block.
    assert!(matches!(writer.write("two"), Err(CallError::Trapped { .. })));
    drop(writer);
    assert_eq!(fence.wrap("", "hello").unwrap(), "hello");
}

#[test]
fn a_trapped_reader_is_replaced_and_a_good_one_is_kept() {
    let component = Component::from_bytes(&guest::conversation(), &limits()).unwrap();
    let conversation = component.conversation(None).unwrap();
    let total = || conversation.read_messages(None, 1).unwrap().unwrap().total;
    assert_eq!((total(), total()), (1, 2));
    for _ in 0..8 {
        let error = conversation.read_messages(None, 13).unwrap_err();
        assert!(matches!(error, CallError::Trapped { .. }), "{error:?}");
    }
    assert_eq!((total(), total()), (1, 2));
}

#[test]
fn threads_that_misbehave_do_not_harm_the_others() {
    // Long enough that no call but the endless one meets it on a busy machine.
    let fence = load(&limits().instances(3).call_time(Duration::from_millis(500)));
    thread::scope(|scope| {
        for id in 0..8 {
            let fence = &fence;
            scope.spawn(move || {
                for round in 0..40 {
                    let text = format!("{id}/{round} {}", "x".repeat(id * 1000));
                    assert_eq!(fence.wrap("", &text).unwrap(), text);
                    match (id, round) {
                        (0, _) => assert!(fence.wrap("", "trap").is_err()),
                        (1, _) => assert!(fence.wrap("", "memory").is_err()),
                        (2, 0..3) => assert!(fence.wrap("", "loop").is_err()),
                        (3, _) => drop(fence.writer("").unwrap()),
                        _ => {}
                    }
                }
            });
        }
    });
}

#[test]
fn handles_can_be_sent_and_shared() {
    fn sent_and_shared<T: Send + Sync + Clone>() {}
    fn sent<T: Send>() {}
    sent_and_shared::<Component>();
    sent_and_shared::<Fence>();
    sent_and_shared::<Limits>();
    sent::<Writer>();
    fn shared<T: Send + Sync>() {}
    shared::<murmur_fence_host::Conversation>();
}
