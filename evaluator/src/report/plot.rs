//! Small plots as inline SVG: no script, no font, no file but the page itself.

use std::fmt::Write;

/// A value with its interval.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// What it is called.
    pub label: String,
    /// The value.
    pub value: f64,
    /// Lower bound; `None` draws an arrow to the left.
    pub low: Option<f64>,
    /// Upper bound; `None` draws an arrow to the right.
    pub high: Option<f64>,
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 240.0;
const RIGHT: f64 = 24.0;

/// Text that may stand in XML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Round numbers that divide a range into about five parts.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let raw = ((high - low) / 5.0).max(1e-9);
    let power = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * power)
        .find(|s| *s >= raw * 0.999)
        .unwrap_or(10.0 * power);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|k| k as f64 * step).collect()
}

/// The range of some numbers with a little room; never empty.
fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = numbers
        .filter(|x| x.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| {
            (l.min(x), h.max(x))
        });
    if low > high {
        return (0.0, 1.0);
    }
    let room = ((high - low) * 0.06).max(1e-6 + high.abs() * 1e-3);
    (low - room, high + room)
}

/// Values with intervals, one a line, on a common horizontal axis.
pub fn interval_plot(points: &[Point], axis: &str) -> String {
    let all = points
        .iter()
        .flat_map(|p| [Some(p.value), p.low, p.high].into_iter().flatten());
    let (low, high) = range(all);
    let height = 26.0 * points.len() as f64 + 52.0;
    let x = |v: f64| LEFT + (v - low) / (high - low) * (WIDTH - LEFT - RIGHT);
    let mut out = open(height);
    let bottom = height - 40.0;
    for tick in ticks(low, high) {
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"6\" y2=\"{bottom}\"/>\
             <text x=\"{0:.1}\" y=\"{1}\" text-anchor=\"middle\">{2}</text>",
            x(tick),
            bottom + 16.0,
            number(tick)
        );
    }
    for (i, p) in points.iter().enumerate() {
        let y = 20.0 + 26.0 * i as f64;
        let (a, b) = (p.low.map_or(LEFT, x), p.high.map_or(WIDTH - RIGHT, x));
        let name: String = match p.label.chars().count() > 34 {
            true => format!(
                "…{}",
                p.label
                    .chars()
                    .rev()
                    .take(33)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev()
                    .collect::<String>()
            ),
            false => p.label.clone(),
        };
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <line class=\"bar\" x1=\"{a:.1}\" x2=\"{b:.1}\" y1=\"{y}\" y2=\"{y}\"/>\
             <circle class=\"dot\" cx=\"{:.1}\" cy=\"{y}\" r=\"5\"><title>{}: {:.1}</title></circle>",
            LEFT - 10.0,
            y + 4.0,
            escape(&name),
            x(p.value),
            escape(&p.label),
            p.value
        );
        for (open, at, turn) in [
            (p.low.is_none(), a, "l8,-5v10z"),
            (p.high.is_none(), b, "l-8,-5v10z"),
        ] {
            let _ = match open {
                true => write!(out, "<path class=\"arrow\" d=\"M{at:.1},{y}{turn}\"/>"),
                false => write!(
                    out,
                    "<line class=\"bar\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{}\" y2=\"{}\"/>",
                    y - 5.0,
                    y + 5.0
                ),
            };
        }
    }
    let _ = write!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></svg>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        height - 6.0,
        escape(axis)
    );
    out
}

/// One line over x, with an optional band, horizontal marks, and axis names.
pub fn line_plot(
    values: &[(f64, f64)],
    band: &[(f64, f64, f64)],
    marks: &[(f64, &str)],
    axes: [&str; 2],
) -> String {
    let (x0, x1) = range(values.iter().map(|p| p.0));
    let ys = values.iter().map(|p| p.1);
    let ys = ys
        .chain(band.iter().flat_map(|b| [b.1, b.2]))
        .chain(marks.iter().map(|m| m.0));
    let (y0, y1) = range(ys);
    let (left, bottom) = (70.0, 250.0);
    let x = |v: f64| left + (v - x0) / (x1 - x0) * (WIDTH - left - RIGHT);
    let y = |v: f64| bottom - (v - y0) / (y1 - y0) * (bottom - 12.0);
    let mut out = open(bottom + 44.0);
    for tick in ticks(x0, x1) {
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x(tick),
            bottom + 16.0,
            number(tick)
        );
    }
    for tick in ticks(y0, y1) {
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{1}\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>\
             <text x=\"{2}\" y=\"{3:.1}\" text-anchor=\"end\">{4}</text>",
            y(tick),
            WIDTH - RIGHT,
            left - 8.0,
            y(tick) + 4.0,
            number(tick)
        );
    }
    if !band.is_empty() {
        let upper = band.iter().map(|b| (b.0, b.2));
        let lower = band.iter().rev().map(|b| (b.0, b.1));
        let ring: Vec<String> = upper
            .chain(lower)
            .map(|(a, b)| format!("{:.1},{:.1}", x(a), y(b)))
            .collect();
        let _ = write!(
            out,
            "<polygon class=\"band\" points=\"{}\"/>",
            ring.join(" ")
        );
    }
    for (value, label) in marks {
        let _ = write!(
            out,
            "<line class=\"mark\" x1=\"{left}\" x2=\"{0}\" y1=\"{1:.1}\" y2=\"{1:.1}\"/>\
             <text x=\"{3}\" y=\"{2:.1}\">{4}</text>",
            WIDTH - RIGHT,
            y(*value),
            y(*value) - 4.0,
            left + 4.0,
            escape(label)
        );
    }
    let line: Vec<String> = values
        .iter()
        .map(|(a, b)| format!("{:.1},{:.1}", x(*a), y(*b)))
        .collect();
    let _ = write!(
        out,
        "<polyline class=\"curve\" points=\"{}\"/>",
        line.join(" ")
    );
    if values.len() <= 60 {
        for (a, b) in values {
            let _ = write!(
                out,
                "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{}: {b:.1}</title></circle>",
                x(*a),
                y(*b),
                number(*a)
            );
        }
    }
    let _ = write!(
        out,
        "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
         <text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text></svg>",
        (left + WIDTH - RIGHT) / 2.0,
        bottom + 36.0,
        escape(axes[0]),
        bottom / 2.0,
        escape(axes[1])
    );
    out
}

/// How often the numbers fall into each of equal parts of their range.
pub(super) fn histogram(numbers: &[f64], axis: &str) -> String {
    let (min, max) = numbers
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &x| {
            (l.min(x), h.max(x))
        });
    let bins = (numbers.len() as f64).sqrt().ceil().clamp(1.0, 30.0);
    let size = ((max - min) / bins).max(1.0);
    let mut counts = vec![0u32; bins as usize];
    for &x in numbers {
        let bin = (((x - min) / size) as usize).min(counts.len() - 1);
        counts[bin] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let (left, bottom) = (40.0, 160.0);
    let wide = (WIDTH - left - RIGHT) / counts.len() as f64;
    let mut out = open(bottom + 44.0);
    for (i, count) in counts.iter().enumerate() {
        let tall = f64::from(*count) / f64::from(most) * (bottom - 20.0);
        let at = left + wide * i as f64;
        let _ = write!(
            out,
            "<rect class=\"column\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\">\
             <title>{} to {}: {count}</title></rect>",
            at + 1.0,
            bottom - tall,
            (wide - 2.0).max(1.0),
            number(min + size * i as f64),
            number(min + size * (i + 1) as f64)
        );
    }
    let span = size * counts.len() as f64;
    for tick in ticks(min, min + span) {
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            left + (tick - min) / span * (WIDTH - left - RIGHT),
            bottom + 16.0,
            number(tick)
        );
    }
    let _ = write!(
        out,
        "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text></svg>",
        WIDTH / 2.0,
        bottom + 36.0,
        escape(axis)
    );
    out
}

fn open(height: f64) -> String {
    format!("<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">")
}

/// A tick in as few digits as it needs.
fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "-0" => "0".into(),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(-3.0, 102.0), [0.0, 50.0, 100.0]);
        assert_eq!(
            ticks(0.0, 1.0),
            [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]
        );
        assert_eq!(number(0.6000000000000001), "0.6");
    }

    #[test]
    fn plots_take_any_numbers() {
        let point = |value, low, high| Point {
            label: "a <b> & \"c\"".into(),
            value,
            low,
            high,
        };
        let picture = interval_plot(
            &[point(5.0, None, Some(9.0)), point(5.0, Some(5.0), None)],
            "Elo",
        );
        assert!(picture.contains("a &lt;b&gt; &amp; &quot;c&quot;") && !picture.contains("NaN"));
        assert_eq!(picture.matches("class=\"arrow\"").count(), 2);
        for picture in [
            interval_plot(&[], "x"),
            line_plot(&[], &[], &[], ["x", "y"]),
            line_plot(
                &[(0.0, 0.0)],
                &[(0.0, -1.0, 1.0)],
                &[(2.0, "top")],
                ["x", "y"],
            ),
            histogram(&[7.0; 3], "plies"),
        ] {
            assert!(picture.starts_with("<svg") && picture.ends_with("</svg>"));
            assert!(
                !picture.contains("NaN") && !picture.contains("inf"),
                "{picture}"
            );
        }
    }
}
