//! The runtime's policy, held to what the runtime does.

use murmur_fence_lanes::murmur::{
    Origin, SOURCE_KINDS, TaskTrust, TrustRule, never_fenced, origin_trust, source_kind,
};

#[test]
fn the_operators_origins_are_trusted_whatever_is_claimed() {
    for origin in [Origin::User, Origin::Schedule, Origin::System] {
        assert_eq!(origin.rule(), TrustRule::Always);
        for claim in [None, Some("untrusted"), Some("")] {
            assert_eq!(origin_trust(origin, claim), TaskTrust::Trusted, "{origin} {claim:?}");
        }
    }
}

#[test]
fn an_event_is_never_trusted() {
    for claim in [None, Some("trusted"), Some("TRUSTED")] {
        assert_eq!(origin_trust(Origin::Event, claim), TaskTrust::Untrusted, "{claim:?}");
    }
}

#[test]
fn peers_and_completions_inherit_the_claim_and_nothing_else_reads_as_one() {
    for origin in [Origin::Peer, Origin::Completion] {
        assert_eq!(origin_trust(origin, Some("trusted")), TaskTrust::Trusted);
        assert_eq!(origin_trust(origin, Some("Trusted")), TaskTrust::Trusted, "values are folded");
        for claim in
            [None, Some("untrusted"), Some(""), Some(" trusted"), Some("trusted;"), Some("1")]
        {
            assert_eq!(origin_trust(origin, claim), TaskTrust::Untrusted, "{origin} {claim:?}");
        }
    }
}

#[test]
fn from_outside_only_peer_and_completion_can_be_claimed() {
    assert_eq!(Origin::from_header(Some("peer")), Origin::Peer);
    assert_eq!(Origin::from_header(Some("Completion")), Origin::Completion);
    for value in
        [None, Some("user"), Some("system"), Some("schedule"), Some("event"), Some("peer ")]
    {
        assert_eq!(Origin::from_header(value), Origin::Event, "{value:?}");
    }
}

#[test]
fn the_record_labels_tools_skills_and_tasks_only() {
    for (source, labelled) in [
        ("tool:bash", Some(true)),
        ("skill:style", Some(true)),
        ("task:peer", Some(true)),
        ("member:analyst", Some(false)),
        ("delegation:helper", Some(false)),
        ("done-check", Some(false)),
        ("done-check:x", None),
        ("tools:x", None),
        ("", None),
    ] {
        assert_eq!(source_kind(source).map(|kind| kind.labelled), labelled, "{source}");
    }
    assert_eq!(SOURCE_KINDS.len(), 6);
}

#[test]
fn every_exemption_says_what_and_why() {
    for exemption in never_fenced() {
        assert!(!exemption.what.is_empty() && !exemption.why.is_empty());
    }
    assert!(
        never_fenced().iter().any(|exemption| exemption.what.contains("operator-pinned skill"))
    );
}
