//! `lanes.toml`: what is read, and what every error names.

use murmur_fence_lanes::{Lane, LaneNameError, Problem, ProblemKind, Registry, Trust};

/// `line:column` and the text of each problem.
fn problems(text: &str) -> Vec<String> {
    let problems = Registry::parse(text).expect_err("the registry has a problem");
    problems.iter().map(Problem::to_string).collect()
}

/// The one problem of a registry.
fn problem(text: &str) -> Problem {
    let mut problems = Registry::parse(text).expect_err("the registry has a problem");
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

fn place(problem: &Problem) -> (u32, u32) {
    (problem.place.line, problem.place.column)
}

#[test]
fn lanes_keep_the_order_of_the_file_and_their_places() {
    let text = "# lanes\n[zeta]\ntrust = \"tool\"\nbudget = 0x10\n\n[alpha]\nbudget = 1_000\n\
                trust = 'owner'\ndescription = \"the person\"\n";
    let registry = Registry::parse(text).unwrap();
    let [zeta, alpha] = registry.lanes() else { panic!("{registry:?}") };
    assert_eq!((zeta.name.as_str(), zeta.trust, zeta.budget), ("zeta", Trust::Tool, 16));
    assert_eq!((alpha.name.as_str(), alpha.trust, alpha.budget), ("alpha", Trust::Owner, 1000));
    assert_eq!(alpha.description.as_deref(), Some("the person"));
    let places = [zeta, alpha].map(|lane| lane.place.map(|place| (place.line, place.column)));
    assert_eq!(places, [Some((2, 2)), Some((6, 2))]);
    let untrusted: Vec<_> = registry.untrusted().map(|lane| lane.name.as_str()).collect();
    assert_eq!(untrusted, ["zeta"]);
}

#[test]
fn inline_dotted_and_quoted_lanes_are_lanes() {
    let text = "a = { trust = \"tool\", budget = 1 }\nb.trust = \"model\"\nb.budget = 2\n\
                [\"tool:web.fetch\"]\ntrust = \"tool\"\nbudget = 3\n";
    let registry = Registry::parse(text).unwrap();
    let names: Vec<_> = registry.lanes().iter().map(|lane| lane.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "tool:web.fetch"]);
}

#[test]
fn an_empty_registry_is_sound() {
    assert_eq!(Registry::parse("").unwrap().lanes(), []);
}

#[test]
fn a_trust_word_is_one_of_the_five_exactly() {
    for word in ["Tool", "tool ", " owner", "OWNER", "t2", "", "unknown", "trusted", "ownеr"] {
        let text = format!("[a]\nbudget = 1\ntrust = \"{word}\"\n");
        let found = problem(&text);
        assert_eq!(place(&found), (3, 9), "{word:?}");
        let kind = ProblemKind::UnknownTrust { lane: "a".into(), word: word.into() };
        assert_eq!(found.kind, kind);
        let (lenient, problems) = Registry::parse_lenient(&text);
        assert_eq!(problems.len(), 1, "{word:?}");
        assert!(lenient.get("a").unwrap().trust.is_untrusted(), "{word:?}");
    }
}

#[test]
fn a_lane_read_leniently_is_never_trusted_by_accident() {
    let text = "[a]\nbudget = 1\n[b]\ntrust = 1\nbudget = -1\n[c]\ntrust = \"owner\"\nbudget = 5\n";
    let (registry, problems) = Registry::parse_lenient(text);
    assert_eq!(problems.len(), 3);
    let read: Vec<_> =
        registry.lanes().iter().map(|lane| (lane.name.as_str(), lane.trust, lane.budget)).collect();
    let unknown = Trust::Unknown;
    assert_eq!(read, [("a", unknown, 1), ("b", unknown, 0), ("c", Trust::Owner, 5)]);
}

#[test]
fn a_missing_key_is_placed_at_its_lane() {
    assert_eq!(
        problems("[a]\ntrust = \"tool\"\n\n[b]\nbudget = 1\n[c]\n"),
        [
            "1:2: lane `a`: no budget; add budget = N, the bytes it may put into a prompt",
            "4:2: lane `b`: no trust; add trust = \"owner\", \"policy\", \"tool\", \"child\" or \
             \"model\"",
            "6:2: lane `c`: no trust; add trust = \"owner\", \"policy\", \"tool\", \"child\" or \
             \"model\"",
            "6:2: lane `c`: no budget; add budget = N, the bytes it may put into a prompt",
        ]
    );
}

#[test]
fn a_budget_is_a_positive_whole_number() {
    for value in ["0", "-1", "-20000", "4294967296", "99999999999999999999"] {
        let found = problem(&format!("[a]\ntrust = \"tool\"\nbudget =  {value}\n"));
        assert_eq!(place(&found), (3, 11), "{value}");
        assert!(matches!(found.kind, ProblemKind::BudgetRange { .. }), "{found}");
    }
    for value in ["1.5", "\"20000\"", "true", "[1]", "{}", "2026-01-01"] {
        let found = problem(&format!("[a]\ntrust = \"tool\"\nbudget = {value}\n"));
        assert_eq!(place(&found), (3, 10), "{value}");
        assert!(matches!(found.kind, ProblemKind::Type { key: "budget", .. }), "{found}");
    }
    let largest = Registry::parse("[a]\ntrust = \"tool\"\nbudget = 4294967295\n").unwrap();
    assert_eq!(largest.get("a").unwrap().budget, u32::MAX);
}

#[test]
fn unknown_keys_are_named_where_they_stand() {
    assert_eq!(
        problems("[a]\ntrust = \"tool\"\nbuget = 5\nbudget = 5\n"),
        ["3:1: lane `a`: unknown key `buget`; a lane has trust, budget and description, and a \
          name with a dot is quoted: [\"a.b\"]"]
    );
    let nested = Registry::parse("[a]\ntrust = \"tool\"\nbudget = 5\n[a.b]\ntrust = \"tool\"\n");
    assert!(matches!(
        &nested.unwrap_err()[..],
        [Problem { kind: ProblemKind::UnknownKey { .. }, .. }]
    ));
}

#[test]
fn columns_are_characters() {
    let found = problem("[a]\ndescription = \"größer\" # ü\ntrust=\"tool\"\nbudget=1\nä=1\n");
    assert!(matches!(found.kind, ProblemKind::Toml(_)), "{found}");
    assert_eq!(found.place.line, 5);
    let found = problem("a = { description = \"größer\", budget = 0, trust = \"tool\" }\n");
    assert_eq!(place(&found), (1, 40));
}

#[test]
fn a_lane_that_is_there_twice_is_named_at_its_second_place() {
    let text = "[a]\ntrust = \"tool\"\nbudget = 1\n[a]\ntrust = \"owner\"\nbudget = 2\n";
    let found = Registry::parse(text).unwrap_err();
    assert_eq!(found[0].kind, ProblemKind::Duplicate("a".into()));
    assert_eq!(place(&found[0]), (4, 2));
    let (lenient, _) = Registry::parse_lenient(text);
    assert_eq!(lenient.get("a").unwrap().trust, Trust::Tool, "the first table counts");

    // What is there twice may have been meant to take the trust back.
    for text in [
        "[a]\ntrust = \"owner\"\nbudget = 1\n[a]\ntrust = \"tool\"\nbudget = 2\n",
        "[a]\ntrust = \"owner\"\ntrust = \"tool\"\nbudget = 1\n",
        "a.trust = \"owner\"\nb.trust = \"tool\"\na.trust = \"tool\"\n",
    ] {
        let (lenient, _) = Registry::parse_lenient(text);
        assert_eq!(lenient.get("a").unwrap().trust, Trust::Unknown, "{text}");
    }

    let found = problem("[a]\ntrust = \"tool\"\ntrust = \"owner\"\nbudget = 1\n");
    assert_eq!(
        (found.kind.clone(), place(&found)),
        (ProblemKind::Duplicate("trust".into()), (3, 1))
    );
}

#[test]
fn names_that_a_marker_cannot_carry_are_refused() {
    for (name, error) in [
        ("", LaneNameError::Empty),
        ("two words", LaneNameError::Character(' ')),
        ("a>b", LaneNameError::Character('>')),
        ("a\\\"b", LaneNameError::Character('"')),
        ("seite_ä", LaneNameError::Character('ä')),
        ("_a", LaneNameError::Start),
        ("<a", LaneNameError::Start),
        ("a\\nb", LaneNameError::Character('\n')),
    ] {
        let found = problem(&format!("[\"{name}\"]\ntrust = \"tool\"\nbudget = 1\n"));
        assert_eq!(place(&found), (1, 2), "{name}");
        assert!(matches!(found.kind, ProblemKind::Name { error: e, .. } if e == error), "{found}");
    }
    let long = format!("[{}]\ntrust = \"tool\"\nbudget = 1\n", "a".repeat(65));
    let too_long = ProblemKind::Name { name: "a".repeat(65), error: LaneNameError::TooLong };
    assert_eq!(problem(&long).kind, too_long);
}

#[test]
fn a_lane_that_a_program_adds_is_checked_like_one_of_the_file() {
    let mut registry = Registry::new();
    assert_eq!(registry.insert(Lane::new("page", Trust::Model, 5)), Ok(()));
    let again = registry.insert(Lane::new("page", Trust::Owner, 9));
    assert_eq!(again, Err(LaneNameError::Taken));
    let bad = registry.insert(Lane::new("a>b", Trust::Owner, 9));
    assert_eq!(bad, Err(LaneNameError::Character('>')));
    assert_eq!(registry.lanes(), [Lane::new("page", Trust::Model, 5)]);
}

#[test]
fn what_is_no_table_is_no_lane() {
    for text in ["trust = \"tool\"\n", "a = 1\n", "[[a]]\ntrust = \"tool\"\nbudget = 1\n"] {
        let found = problem(text);
        assert!(matches!(found.kind, ProblemKind::NotALane(_)), "{found}");
        assert_eq!(found.place.line, 1);
    }
}

#[test]
fn what_is_no_toml_is_an_error_with_a_place() {
    for text in
        ["[a\n", "[a]\ntrust = tool\nbudget = 1\n", "\0", "[a]\r\rtrust", "]", "[[[[", "a.a.a.a"]
    {
        let found = Registry::parse(text).unwrap_err();
        assert!(
            found.iter().all(|p| matches!(p.kind, ProblemKind::Toml(_))),
            "{text:?}: {found:?}"
        );
    }
    let (lenient, _) = Registry::parse_lenient("[a]\ntrust = \"owner\"\nbudget = 1\n[b\n");
    assert_eq!(lenient.lanes(), [], "what a broken syntax leaves may be another lane's");
    let found = Registry::parse("[a]\ntrust = tool\nbudget = 1\n").unwrap_err();
    assert_eq!(place(&found[0]), (2, 9));
}

proptest::proptest! {
    #[test]
    fn no_text_panics_and_none_makes_an_unspelled_word_trusted(
        text in proptest::collection::vec(
            proptest::sample::select(vec![
                "[a]", "[b]", "\n", "trust", "=", "\"owner\"", "\"Owner\"", "\"tool\"", "budget",
                "1", "-", "\"", "{", "}", ".", "a", "ä", "[", "]", ",", "#",
            ]), 0..24)
    ) {
        let text = text.concat();
        let (registry, problems) = Registry::parse_lenient(&text);
        proptest::prop_assert_eq!(Registry::parse(&text).is_ok(), problems.is_empty());
        for lane in registry.lanes() {
            proptest::prop_assert!(lane.trust.is_untrusted() || text.contains("\"owner\""));
        }
    }
}
