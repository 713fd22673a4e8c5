//! Running an audit: which part of which file is looked at when, and in which
//! order what was found is told.
//!
//! Parts are looked at on all cores and told in their order, so that a report does
//! not depend on the machine. Only so many parts are ahead of the one that is told
//! next, which bounds the memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::events::{self, TraceAudit};
use super::files::{From, Plan, Planned};
use super::frames::{self, Form, StreamAudit};
use super::index::Index;
use super::pass::Pass;
use super::record::RecordAudit;
use super::report::{AuditedMessage, FileStart, FileSummary, Finding, Report, Sums};
use super::sheet::{Kept, Sheet, Sink};
use super::texts;
use super::utterance::Judge;
use super::window::{Part, Source, Stream, Window};
use super::{Options, Visitor};
use crate::surface::Kind;

/// How much of a record is one part, in bytes.
const PART: u64 = 8 << 20;

/// How many parts for each thread may be ahead of the one that is told next.
const AHEAD: usize = 4;

/// How often progress is told, at least.
const TICK: Duration = Duration::from_millis(100);

/// Audits what was planned.
pub(super) fn run(plan: Plan, options: &Options, visitor: &mut dyn Visitor) -> io::Result<Report> {
    let total = plan.files.iter().filter_map(|file| file.start.bytes).sum();
    let index = gather(&plan.files);
    let audit = Audit { options, index: &index, total };
    let mut report = Report { passed_over: plan.passed_over, ..Report::default() };
    let threads = match options.threads {
        0 => thread::available_parallelism().map_or(1, NonZeroUsize::get),
        threads => threads,
    };
    let handed = if options.messages || threads == 1 {
        audit.one_by_one(plan.files, &mut report, visitor)?
    } else {
        audit.together(plan.files, threads, &mut report, visitor)?
    };
    report.suppressed = report.findings.total() - handed;
    Ok(report)
}

/// Reads what is held against records. What cannot be read is told later.
fn gather(files: &[Planned]) -> Index {
    let mut index = Index::default();
    let wanted = |kind| matches!(kind, Kind::Record | Kind::Stream);
    if !files.iter().any(|file| wanted(file.start.kind)) {
        return index;
    }
    for file in files {
        let From::File(path, _) = &file.from else { continue };
        let number = file.start.index;
        // The audit tells what does not work.
        _ = match file.start.kind {
            Kind::Trace => File::open(path).and_then(|trace| {
                events::gather(&mut Window::new(Stream(trace), 0), number, &mut index)
            }),
            Kind::Stream => File::open(path).and_then(|stream| {
                let (form, stream) = form_of(stream)?;
                frames::gather(stream, form, number, &mut index)
            }),
            _ => Ok(()),
        };
    }
    index.settle();
    index
}

/// How a stream is stored, told from its first byte that is no white space.
fn form_of<R: Read>(mut stream: R) -> io::Result<(Form, impl Read)> {
    let mut head = Vec::new();
    while head.iter().all(u8::is_ascii_whitespace) && head.len() < 4096 {
        if stream.by_ref().take(1).read_to_end(&mut head)? == 0 {
            break;
        }
    }
    let form = if head.last() == Some(&b'{') { Form::Lines } else { Form::Events };
    Ok((form, io::Cursor::new(head).chain(stream)))
}

/// What is the same for every part.
struct Audit<'a> {
    options: &'a Options,
    index: &'a Index,
    /// The length of all files together, in bytes.
    total: u64,
}

/// A part of a file.
struct Job<'f> {
    file: usize,
    work: Work<'f>,
}

enum Work<'f> {
    /// The lines of a record that begin in a range.
    Range(Arc<Shared<'f>>, u64, u64),
    /// A whole file.
    Whole(Planned),
}

/// A record that is read in parts: opened by the first of them, so that all read
/// the same file, whatever takes its name meanwhile.
struct Shared<'f> {
    start: &'f FileStart,
    path: PathBuf,
    file: Mutex<Option<Arc<File>>>,
}

impl Shared<'_> {
    fn open(&self) -> io::Result<Arc<File>> {
        let mut file = lock(&self.file);
        if let Some(file) = &*file {
            return Ok(Arc::clone(file));
        }
        let opened = Arc::new(File::open(&self.path)?);
        *file = Some(Arc::clone(&opened));
        Ok(opened)
    }
}

/// What one part came to.
struct Done {
    sums: Sums,
    findings: Vec<Finding>,
    problem: Option<String>,
}

impl Audit<'_> {
    fn room(&self, handed: u64) -> u64 {
        self.options.max_findings.map_or(u64::MAX, |most| most.saturating_sub(handed))
    }

    fn judge(&self) -> Judge<'_> {
        Judge { index: self.index, lookalikes: self.options.lookalikes }
    }

    /// Looks at a whole file.
    fn whole(
        &self,
        planned: Planned,
        sheet: &mut Sheet<'_>,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Option<String> {
        let audited = match planned.from {
            From::Nowhere(reason) => Err(io::Error::other(reason)),
            From::File(path, end) => match (planned.start.kind, File::open(path)) {
                (_, Err(error)) => Err(error),
                (Kind::Record, Ok(file)) => {
                    let mut window = Window::new(Part { file: &file, at: 0 }, 0);
                    self.record(&planned.start, &mut window, end, sheet, progress)
                }
                (kind, Ok(file)) => self.stream(kind, file, sheet, progress),
            },
            From::Reader(reader) => match planned.start.kind {
                Kind::Record => {
                    let mut window = Window::new(Stream(reader), 0);
                    self.record(&planned.start, &mut window, u64::MAX, sheet, progress)
                }
                kind => self.stream(kind, reader, sheet, progress),
            },
        };
        audited.err().map(|error| error.to_string())
    }

    /// Looks at the lines of a record from where the window stands up to an offset.
    fn record<S: Source>(
        &self,
        start: &FileStart,
        window: &mut Window<S>,
        end: u64,
        sheet: &mut Sheet<'_>,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> io::Result<()> {
        let context = start.place.as_ref().map(|place| self.index.digests.hash(&place.context));
        let audit = RecordAudit { judge: self.judge(), context, since: self.options.since };
        let stopped = Pass { audit, quick: true }.run(window, end, sheet, progress)?;
        if !stopped && end != u64::MAX && window.offset() < end {
            return Err(io::Error::other("the file became shorter while it was read"));
        }
        Ok(())
    }

    fn stream(
        &self,
        kind: Kind,
        reader: impl Read,
        sheet: &mut Sheet<'_>,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> io::Result<()> {
        let (judge, since) = (self.judge(), self.options.since);
        match kind {
            Kind::Trace => {
                let mut window = Window::new(Stream(reader), 0);
                TraceAudit { judge, since }.run(&mut window, sheet, progress)
            }
            Kind::Stream => {
                let (form, stream) = form_of(reader)?;
                StreamAudit { judge, since }.run(stream, form, sheet, progress)
            }
            Kind::Page => {
                if let Some(text) = texts::whole(reader, sheet)? {
                    progress(text.len() as u64);
                    texts::pages(&text, judge, since, sheet);
                }
                Ok(())
            }
            Kind::Record | Kind::Text | Kind::Unknown => {
                if let Some(text) = texts::whole(reader, sheet)? {
                    progress(text.len() as u64);
                    texts::plain(&text, judge, sheet);
                }
                Ok(())
            }
        }
    }

    /// File by file on this thread, handing on everything as it comes.
    fn one_by_one(
        &self,
        files: Vec<Planned>,
        report: &mut Report,
        visitor: &mut dyn Visitor,
    ) -> io::Result<u64> {
        let visitor = RefCell::new(visitor);
        let mut handed = 0;
        let mut done = 0;
        for planned in files {
            let start = planned.start.clone();
            visitor.borrow_mut().begin(&start)?;
            let mut sink = Direct {
                visitor: &visitor,
                messages: self.options.messages,
                handed,
                failure: None,
            };
            let mut sheet = Sheet::new(start.index, self.room(handed), &mut sink);
            let mut failure = None;
            let problem = self.whole(planned, &mut sheet, &mut |bytes| {
                done += bytes;
                let told = visitor.borrow_mut().progress(done, self.total);
                failure = told.err();
                failure.is_none()
            });
            if let Some(problem) = &problem {
                texts::about_file(&mut sheet, problem.clone());
            }
            let sums = sheet.sums;
            handed = sink.handed;
            if let Some(failure) = sink.failure.or(failure) {
                return Err(failure);
            }
            conclude(report, FileSummary { start, sums, problem }, *visitor.borrow_mut())?;
        }
        Ok(handed)
    }

    /// Part by part on several threads.
    fn together(
        &self,
        files: Vec<Planned>,
        threads: usize,
        report: &mut Report,
        visitor: &mut dyn Visitor,
    ) -> io::Result<u64> {
        let starts: Vec<_> = files.iter().map(|file| file.start.clone()).collect();
        let mut jobs = Vec::new();
        for (planned, start) in files.into_iter().zip(&starts) {
            let file = start.index;
            match planned.from {
                From::File(path, length) if start.kind == Kind::Record => {
                    let shared = Arc::new(Shared { start, path, file: Mutex::new(None) });
                    // An empty file has a part too, which opens it.
                    for from in (0..length.max(1)).step_by(PART as usize) {
                        let to = length.min(from + PART);
                        jobs.push(Job { file, work: Work::Range(Arc::clone(&shared), from, to) });
                    }
                }
                _ => jobs.push(Job { file, work: Work::Whole(planned) }),
            }
        }
        let of_file: Vec<_> = jobs.iter().map(|job| job.file).collect();
        let jobs = jobs.into_iter().map(Some).collect();
        let board = Board {
            state: Mutex::new(State { jobs, ..State::default() }),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            read: AtomicU64::new(0),
            handed: AtomicU64::new(0),
            ahead: AHEAD * threads,
        };
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| self.work(&board));
            }
            let told = self.tell(&board, &starts, &of_file, report, visitor);
            board.stop.store(true, Ordering::Relaxed);
            board.changed.notify_all();
            told
        })
    }

    /// What a thread does: one part after the other.
    fn work(&self, board: &Board<'_>) {
        while let Some((number, job)) = board.take() {
            let mut kept = Kept::default();
            let room = self.room(board.handed.load(Ordering::Relaxed));
            let mut sheet = Sheet::new(job.file, room, &mut kept);
            let mut progress = |bytes| {
                board.read.fetch_add(bytes, Ordering::Relaxed);
                !board.stop.load(Ordering::Relaxed)
            };
            let problem = match job.work {
                Work::Whole(planned) => self.whole(planned, &mut sheet, &mut progress),
                Work::Range(shared, from, to) => self
                    .range(&shared, from, to, &mut sheet, &mut progress)
                    .err()
                    .map(|error| error.to_string()),
            };
            let sums = sheet.sums;
            board.put(number, Done { sums, findings: kept.findings, problem });
        }
    }

    fn range(
        &self,
        shared: &Shared<'_>,
        from: u64,
        to: u64,
        sheet: &mut Sheet<'_>,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> io::Result<()> {
        let file = shared.open()?;
        // One byte earlier, so that a line that begins here is not passed over.
        let at = from.saturating_sub(1);
        let mut window = Window::new(Part { file: &file, at }, at);
        if from > 0 {
            window.skip_line(to)?;
        }
        self.record(shared.start, &mut window, to, sheet, progress)
    }

    /// Tells what was found, part by part in their order.
    fn tell(
        &self,
        board: &Board<'_>,
        starts: &[FileStart],
        of_file: &[usize],
        report: &mut Report,
        visitor: &mut dyn Visitor,
    ) -> io::Result<u64> {
        let mut handed = 0;
        let mut number = 0;
        for start in starts {
            visitor.begin(start)?;
            let mut sums = Sums::default();
            let mut problem: Option<String> = None;
            while of_file.get(number) == Some(&start.index) {
                let done = loop {
                    if let Some(done) = board.get(number) {
                        break done;
                    }
                    visitor.progress(board.read.load(Ordering::Relaxed), self.total)?;
                };
                number += 1;
                for mut finding in done.findings {
                    if handed >= self.options.max_findings.unwrap_or(u64::MAX) {
                        break;
                    }
                    // Parts count their lines from their own beginning.
                    if finding.line > 0 {
                        finding.line += sums.lines;
                    }
                    visitor.finding(&finding)?;
                    handed += 1;
                }
                board.handed.store(handed, Ordering::Relaxed);
                sums.add(&done.sums);
                problem = problem.or(done.problem);
            }
            if let Some(problem) = &problem {
                let mut sink = Kept::default();
                let mut sheet = Sheet::new(start.index, self.room(handed), &mut sink);
                texts::about_file(&mut sheet, problem.clone());
                sums.add(&sheet.sums);
                for finding in sink.findings {
                    visitor.finding(&finding)?;
                    handed += 1;
                }
            }
            conclude(report, FileSummary { start: start.clone(), sums, problem }, visitor)?;
        }
        visitor.progress(self.total, self.total)?;
        Ok(handed)
    }
}

/// Adds a file to the report.
fn conclude(
    report: &mut Report,
    summary: FileSummary,
    visitor: &mut dyn Visitor,
) -> io::Result<()> {
    visitor.end(&summary)?;
    let surface = report.surfaces.entry(summary.start.kind).or_default();
    surface.files += 1;
    surface.sums.add(&summary.sums);
    report.findings.add(&summary.sums.findings);
    report.files.push(summary);
    Ok(())
}

/// Hands everything to the visitor at once.
struct Direct<'v, 'r> {
    visitor: &'v RefCell<&'r mut dyn Visitor>,
    messages: bool,
    handed: u64,
    /// The first error of the visitor.
    failure: Option<io::Error>,
}

impl Direct<'_, '_> {
    fn note(&mut self, told: io::Result<()>) -> bool {
        if let Err(error) = told {
            self.failure.get_or_insert(error);
        }
        self.failure.is_none()
    }
}

impl Sink for Direct<'_, '_> {
    fn finding(&mut self, finding: Finding) -> bool {
        self.handed += 1;
        let told = self.visitor.borrow_mut().finding(&finding);
        self.note(told)
    }

    fn message(&mut self, message: AuditedMessage) -> bool {
        let told = self.visitor.borrow_mut().message(&message);
        self.note(told)
    }

    fn wants_messages(&self) -> bool {
        self.messages
    }
}

/// Where the threads meet.
struct Board<'f> {
    state: Mutex<State<'f>>,
    changed: Condvar,
    stop: AtomicBool,
    /// How many bytes have been read.
    read: AtomicU64,
    /// How many findings have been told.
    handed: AtomicU64,
    ahead: usize,
}

#[derive(Default)]
struct State<'f> {
    jobs: Vec<Option<Job<'f>>>,
    /// The next job to be taken.
    next: usize,
    done: BTreeMap<usize, Done>,
    /// How many parts have been told.
    told: usize,
}

impl<'f> Board<'f> {
    /// The next part to look at; none when there is none or the audit is stopped.
    fn take(&self) -> Option<(usize, Job<'f>)> {
        let mut state = lock(&self.state);
        loop {
            if self.stop.load(Ordering::Relaxed) || state.next == state.jobs.len() {
                return None;
            }
            if state.next < state.told + self.ahead {
                let number = state.next;
                state.next += 1;
                return state.jobs[number].take().map(|job| (number, job));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn put(&self, number: usize, done: Done) {
        lock(&self.state).done.insert(number, done);
        self.changed.notify_all();
    }

    /// The part of this number, once it is there; none after a while.
    fn get(&self, number: usize) -> Option<Done> {
        let mut state = lock(&self.state);
        if !state.done.contains_key(&number) {
            let waited = self.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let done = state.done.remove(&number)?;
        state.told = number + 1;
        drop(state);
        self.changed.notify_all();
        Some(done)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
