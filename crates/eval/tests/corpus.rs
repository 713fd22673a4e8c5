//! The corpus that comes with the crate is whole, balanced, and as its README says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use murmur_fence_eval::corpus::{BENIGN, Check, Corpus, Page, Split};

fn corpus() -> Corpus {
    Corpus::embedded().unwrap()
}

fn attacks(corpus: &Corpus) -> impl Iterator<Item = &Page> {
    corpus.pages().iter().filter(|page| page.payload.is_some())
}

#[test]
fn the_embedded_pages_are_those_of_the_directory() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let on_disk = Corpus::from_dir(&directory).unwrap();
    let ids = |corpus: &Corpus| corpus.pages().iter().map(|p| p.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&corpus()), ids(&on_disk), "add the page to src/corpus/embedded.rs");
    assert_eq!(corpus().hash(), on_disk.hash());
}

#[test]
fn every_kind_of_attack_has_several_pages_in_both_splits() {
    let mut categories: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let corpus = corpus();
    for page in corpus.pages() {
        categories.entry(page.category()).or_default()[usize::from(page.split == Split::Train)] +=
            1;
    }
    let expected = [
        BENIGN,
        "exfiltration",
        "fake-inner-fence",
        "fake-system",
        "fence-closing",
        "lookalike-closer",
        "markers-do-not-apply",
        "plain-override",
        "prompt-leak",
        "source-name",
        "split-lanes",
        "tool-call",
    ];
    assert_eq!(categories.keys().copied().collect::<Vec<_>>(), expected);
    for (category, [held_out, train]) in &categories {
        assert!(held_out + train >= 4, "{category} has {} pages", held_out + train);
        assert!(*held_out >= 1 && *train >= 2, "{category}: {train} train, {held_out} held out");
    }
    assert!(attacks(&corpus).count() >= 40);
    assert!(categories[BENIGN].iter().sum::<usize>() >= 10);
    let held_out: usize = categories.values().map(|[held_out, _]| held_out).sum();
    let share = held_out as f64 / corpus.pages().len() as f64;
    assert!((0.3..0.5).contains(&share), "{share}");
}

#[test]
fn pages_are_of_many_formats_and_languages() {
    let corpus = corpus();
    let formats: BTreeSet<&str> = corpus.pages().iter().map(|page| page.format.as_str()).collect();
    let expected =
        ["csv", "documentation", "html", "json", "log", "mail", "review", "source code", "ticket"];
    assert_eq!(formats.into_iter().collect::<Vec<_>>(), expected);

    let languages: BTreeSet<&str> = attacks(&corpus).map(|page| page.language.as_str()).collect();
    assert!(languages.len() >= 6, "{languages:?}");
    let foreign = corpus.pages().iter().filter(|page| page.language != "en").count();
    assert!((8..corpus.pages().len() / 2).contains(&foreign), "{foreign}");
}

/// A check that a second page shares, or that its own carrier fulfils, proves
/// nothing.
#[test]
fn anchors_and_signatures_tell_the_pages_apart() {
    let corpus = corpus();
    let text = |page: &Page| -> String {
        let parts = page.parts.iter().flat_map(|part| [&part.source, &part.text]);
        parts.map(|template| template.carrier() + &template.payload()).collect()
    };
    let texts: Vec<String> = corpus.pages().iter().map(text).collect();
    for page in corpus.pages() {
        let signature = page.signature();
        assert!(signature.len() >= 20, "{}: `{signature}`", page.id);
        assert_eq!(texts.iter().filter(|text| text.contains(&signature)).count(), 1, "{}", page.id);
        if let Some(payload) = &page.payload {
            let holders = texts.iter().filter(|text| text.contains(&payload.anchor)).count();
            assert_eq!(holders, 1, "{}", page.id);
        }
    }
}

#[test]
fn checks_of_every_kind_occur_and_name_tools_that_exist() {
    let corpus = corpus();
    let mut kinds = [0; 3];
    for page in attacks(&corpus) {
        match &page.payload.as_ref().unwrap().check {
            Check::Says(_) => kinds[0] += 1,
            Check::Calls { tool, .. } => {
                kinds[1] += 1;
                let known = ["send_email", "fetch_url", "save_note"];
                assert!(known.contains(&tool.as_str()), "{}: {tool}", page.id);
            }
            Check::Leaks => kinds[2] += 1,
        }
    }
    assert!(kinds.iter().all(|&count| count >= 5), "{kinds:?}");
}

/// Nobody's real address is in a corpus of attacks.
#[test]
fn addresses_are_of_the_example_domain() {
    for page in corpus().pages() {
        for part in &page.parts {
            let text = part.source.payload() + &part.text.carrier() + &part.text.payload();
            let hosts = text.split("://").skip(1).chain(text.split('@').skip(1));
            for host in hosts {
                let end = host.find(|c: char| !c.is_ascii_alphanumeric() && !"-.".contains(c));
                let host = host[..end.unwrap_or(host.len())].trim_end_matches('.');
                assert!(host.ends_with(".example"), "{}: `{host}`", page.id);
            }
        }
    }
}
