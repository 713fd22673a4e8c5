//! From when on messages are looked at.

use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// A moment, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since(pub u64);

/// Ten digits are seconds of our time, and would be 1970 as milliseconds.
const SECONDS_LIKELY: std::ops::Range<u64> = 100_000_000..100_000_000_000;

const FORMS: &str = "write a time as 2026-11-30T12:00:00Z, a day as 2026-11-30, milliseconds \
                     since 1970, or how long ago as 7d, 12h or 30m";

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        parse(text, now.as_millis() as u64)
    }
}

fn parse(text: &str, now: u64) -> Result<Since, String> {
    if let Ok(milliseconds) = text.parse() {
        if SECONDS_LIKELY.contains(&milliseconds) {
            return Err(format!("that looks like seconds; write {milliseconds}000"));
        }
        return Ok(Since(milliseconds));
    }
    if let Some(ago) = ago(text) {
        return Ok(Since(now.saturating_sub(ago)));
    }
    let day = || format!("{text}T00:00:00Z").parse::<Timestamp>();
    let moment = text.parse::<Timestamp>().or_else(|_| day()).ok();
    let moment = moment.ok_or(FORMS)?.as_millisecond();
    u64::try_from(moment).map(Since).map_err(|_| "before 1970, when no record is".to_owned())
}

/// A number and its unit, in milliseconds.
fn ago(text: &str) -> Option<u64> {
    let unit = text.chars().last()?;
    let seconds = match unit {
        'd' => 86_400,
        'h' => 3_600,
        'm' => 60,
        's' => 1,
        _ => return None,
    };
    let count: u64 = text[..text.len() - 1].parse().ok()?;
    count.checked_mul(seconds * 1000)
}

#[cfg(test)]
mod tests {
    use super::{Since, parse};

    const NOW: u64 = 1_800_000_000_000;
    const DAY: u64 = 24 * 60 * 60 * 1000;

    #[test]
    fn every_form_gives_milliseconds() {
        // 2026-11-30 is 20787 days after 1970-01-01.
        let midnight = 20_787 * DAY;
        for (text, expected) in [
            ("7d", NOW - 7 * DAY),
            ("12h", NOW - DAY / 2),
            ("30m", NOW - 1_800_000),
            ("5s", NOW - 5_000),
            ("99999999d", 0),
            ("1764547200000", 1_764_547_200_000),
            ("0", 0),
            ("2026-11-30", midnight),
            ("2026-11-30T00:00:01.5Z", midnight + 1_500),
            ("2026-11-30T02:00:00+02:00", midnight),
        ] {
            assert_eq!(parse(text, NOW), Ok(Since(expected)), "{text}");
        }
    }

    #[test]
    fn anything_else_says_how_to_write_it() {
        for text in ["", "d", "yesterday", "1.5d", "-7d", "2026-13-01", "2026-11-30T00:00:00", "7é"]
        {
            assert!(parse(text, NOW).unwrap_err().contains("7d, 12h"), "{text}");
        }
        assert_eq!(
            parse("1764547200", NOW),
            Err("that looks like seconds; write 1764547200000".into())
        );
        assert!(parse("1960-01-01T00:00:00Z", NOW).unwrap_err().contains("1970"));
    }
}
