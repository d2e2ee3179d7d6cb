//! The board as an SVG picture: wooden wedges with kanji on a wooden board.
//!
//! Units are thousandths of a square, so that one shape does for every board; `width` scales the whole.

use std::fmt::Write as _;

use super::{Face, Labels, Show, caption};
use crate::Color;

/// How to draw a position as SVG.
#[derive(Clone, Debug)]
pub struct SvgOptions<M> {
    /// What is written on the pieces.
    pub labels: Labels,
    /// The move that led here: its squares are shaded.
    pub last_move: Option<M>,
    /// Squares to shade besides.
    pub marks: Vec<(usize, Mark)>,
    /// File numbers and rank letters.
    pub coordinates: bool,
    /// A line below that says whose turn it is.
    pub caption: bool,
    /// Whether White sits at the bottom.
    pub flipped: bool,
    /// Width of the picture in pixels; the height follows.
    pub width: u32,
}

impl<M> Default for SvgOptions<M> {
    fn default() -> Self {
        SvgOptions {
            labels: Labels::Kanji,
            last_move: None,
            marks: Vec::new(),
            coordinates: true,
            caption: true,
            flipped: false,
            width: 960,
        }
    }
}

/// Why a square is shaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// The last move started here.
    From,
    /// The last move ended here.
    To,
    /// Something was captured here on the way.
    Taken,
    /// Something was burned here; drawn with a flame if the square is empty.
    Burned,
    /// A piece may go here.
    Target,
}

impl Mark {
    fn fill(self) -> &'static str {
        match self {
            Mark::From => "#e9d36b",
            Mark::To => "#f2c230",
            Mark::Taken => "#d98a4f",
            Mark::Burned => "#7d3413",
            Mark::Target => "#5f9f6f",
        }
    }
}

/// What the legal move `mv` of `before` burns, as marks for the picture of the position after it.
pub fn losses<P: Show>(before: &P, mv: P::Move) -> Vec<(usize, Mark)> {
    before
        .burned_by(mv)
        .into_iter()
        .map(|square| (square, Mark::Burned))
        .collect()
}

/// One square.
const SQUARE: i32 = 1000;
/// Wood around the squares.
const MARGIN: i32 = 620;
/// Extra room beside the board for pieces in hand.
const STAND: i32 = 1500;
/// Height of the caption.
const CAPTION: i32 = 700;

const STYLE: &str = "\
.line{stroke:#5a3b16;stroke-width:22;fill:none}\
.edge{stroke:#4a2f10;stroke-width:55;fill:none}\
.note{font-family:'Noto Sans','DejaVu Sans',Helvetica,Arial,sans-serif;font-size:330px;fill:#4a2f10;text-anchor:middle}\
.label{font-family:'Noto Serif CJK JP','Noto Serif JP','Hiragino Mincho ProN','Yu Mincho','MS Mincho',serif;\
font-weight:700;text-anchor:middle;fill:#1d1206}\
.latin{font-family:'DejaVu Serif','Noto Serif',Georgia,serif}\
.red{fill:#b3140f}";

const DEFS: &str = "\
<linearGradient id=\"wood\" x1=\"0\" y1=\"0\" x2=\"1\" y2=\"1\">\
<stop offset=\"0\" stop-color=\"#f0cf8e\"/><stop offset=\"0.5\" stop-color=\"#e6bd74\"/>\
<stop offset=\"1\" stop-color=\"#dcae60\"/></linearGradient>\
<linearGradient id=\"piece\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\">\
<stop offset=\"0\" stop-color=\"#fff3d1\"/><stop offset=\"1\" stop-color=\"#f3d9a0\"/></linearGradient>\
<linearGradient id=\"turned\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">\
<stop offset=\"0\" stop-color=\"#fff3d1\"/><stop offset=\"1\" stop-color=\"#f3d9a0\"/></linearGradient>\
<linearGradient id=\"fire\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\">\
<stop offset=\"0\" stop-color=\"#ffd35c\"/><stop offset=\"1\" stop-color=\"#f0561d\"/></linearGradient>\
<path id=\"flame\" d=\"M0,360 C-250,350 -310,120 -190,-60 C-180,30 -130,60 -95,15 C-140,-150 -20,-290 60,-400 \
C45,-270 130,-200 165,-120 C185,-150 190,-180 185,-215 C275,-90 310,30 265,160 C230,290 120,360 0,360 Z\"/>\
<path id=\"wedge\" d=\"M0,-455 L268,-345 L385,425 Q0,445 -385,425 L-268,-345 Z\"/>";

/// The position as a complete SVG document.
pub fn svg<P: Show>(pos: &P, options: &SvgOptions<P::Move>) -> String {
    Picture::<P> { pos, options }.draw()
}

struct Picture<'a, P: Show> {
    pos: &'a P,
    options: &'a SvgOptions<P::Move>,
}

impl<P: Show> Picture<'_, P> {
    fn caption_text(&self) -> String {
        caption(self.pos, self.options.last_move)
    }

    fn stand(&self) -> i32 {
        if P::HAND_KINDS > 0 { STAND } else { 0 }
    }

    /// Upper left corner of the board's first square.
    fn origin(&self) -> (i32, i32) {
        (MARGIN + self.stand(), MARGIN)
    }

    fn board_size(&self) -> (i32, i32) {
        (P::FILES as i32 * SQUARE, P::RANKS as i32 * SQUARE)
    }

    /// Upper left corner of a square as drawn.
    fn corner(&self, square: usize) -> (i32, i32) {
        let square = if self.options.flipped {
            P::FILES * P::RANKS - 1 - square
        } else {
            square
        };
        let (x, y) = self.origin();
        (
            x + (square % P::FILES) as i32 * SQUARE,
            y + (square / P::FILES) as i32 * SQUARE,
        )
    }

    fn draw(&self) -> String {
        let (width, height) = self.board_size();
        let total_width = width + 2 * (MARGIN + self.stand());
        let wood_height = height + 2 * MARGIN;
        let total_height = wood_height + if self.options.caption { CAPTION } else { 0 };
        let pixels = self.options.width;
        let pixels_high = i64::from(pixels) * i64::from(total_height) / i64::from(total_width);
        let snapshot = self.pos.snapshot();
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {total_width} {total_height}\" \
             width=\"{pixels}\" height=\"{pixels_high}\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n<defs>{DEFS}</defs>\n\
             <rect width=\"{total_width}\" height=\"{total_height}\" fill=\"#fbf6ea\"/>\n\
             <rect x=\"{}\" width=\"{}\" height=\"{wood_height}\" rx=\"160\" fill=\"url(#wood)\"/>\n",
            self.caption_text(),
            self.stand(),
            width + 2 * MARGIN,
        );
        self.draw_marks(&mut out, &snapshot.board);
        self.draw_lines(&mut out);
        if self.options.coordinates {
            self.draw_coordinates(&mut out);
        }
        for (square, &code) in snapshot.board.iter().enumerate() {
            if let Some(face) = P::face(code) {
                let (x, y) = self.corner(square);
                self.draw_piece(&mut out, &face, x + SQUARE / 2, y + SQUARE / 2);
            }
        }
        self.draw_hands(&mut out, &snapshot.hands);
        if self.options.caption {
            let (x, y) = (total_width / 2, wood_height + CAPTION * 65 / 100);
            let sign = if self.pos.turn() == Color::Black {
                '☗'
            } else {
                '☖'
            };
            let _ = writeln!(
                out,
                "<text class=\"note\" x=\"{x}\" y=\"{y}\" style=\"font-size:400px\">{sign} {}</text>",
                self.caption_text()
            );
        }
        out + "</svg>\n"
    }

    fn draw_marks(&self, out: &mut String, board: &[u8]) {
        let mut marks = Vec::new();
        if let Some(mv) = self.options.last_move {
            let from = P::move_from(mv);
            if from < P::FILES * P::RANKS {
                marks.push((from, Mark::From));
            }
            marks.push((P::move_to(mv), Mark::To));
            marks.extend(P::move_via(mv).map(|via| (via, Mark::Taken)));
        }
        let on_board = self
            .options
            .marks
            .iter()
            .filter(|(square, _)| *square < P::FILES * P::RANKS);
        for (square, mark) in marks.iter().chain(on_board) {
            let (x, y) = self.corner(*square);
            let fill = mark.fill();
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{fill}\" opacity=\"0.75\"/>"
            );
            if *mark == Mark::Burned && board[*square] == 0 {
                let (x, y) = (x + SQUARE / 2, y + SQUARE / 2);
                let _ = writeln!(
                    out,
                    "<use href=\"#flame\" transform=\"translate({x} {y})\" fill=\"url(#fire)\"/>"
                );
            }
        }
    }

    fn draw_lines(&self, out: &mut String) {
        let ((left, top), (width, height)) = (self.origin(), self.board_size());
        let mut path = String::new();
        for column in 1..P::FILES as i32 {
            let _ = write!(path, "M{},{top}v{height}", left + column * SQUARE);
        }
        for row in 1..P::RANKS as i32 {
            let _ = write!(path, "M{left},{}h{width}", top + row * SQUARE);
        }
        let _ = writeln!(out, "<path class=\"line\" d=\"{path}\"/>");
        let _ = writeln!(
            out,
            "<rect class=\"edge\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>"
        );
        for &square in P::dots() {
            let (x, y) = (square % P::FILES + 1, square / P::FILES + 1);
            let (x, y) = (left + x as i32 * SQUARE, top + y as i32 * SQUARE);
            let _ = writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"75\" fill=\"#4a2f10\"/>"
            );
        }
    }

    fn draw_coordinates(&self, out: &mut String) {
        let ((left, top), (width, height)) = (self.origin(), self.board_size());
        for column in 0..P::FILES {
            let (x, _) = self.corner(column);
            let (x, file) = (x + SQUARE / 2, P::FILES - column);
            for y in [top - 200, top + height + 430] {
                let _ = writeln!(
                    out,
                    "<text class=\"note\" x=\"{x}\" y=\"{y}\">{file}</text>"
                );
            }
        }
        for row in 0..P::RANKS {
            let (_, y) = self.corner(row * P::FILES);
            let (y, rank) = (y + SQUARE / 2 + 110, (b'a' + row as u8) as char);
            for x in [left - 310, left + width + 310] {
                let _ = writeln!(
                    out,
                    "<text class=\"note\" x=\"{x}\" y=\"{y}\">{rank}</text>"
                );
            }
        }
    }

    fn draw_piece(&self, out: &mut String, face: &Face, x: i32, y: i32) {
        let turned = (face.color == Color::White) != self.options.flipped;
        let turn = if turned { " rotate(180)" } else { "" };
        let fill = if turned { "turned" } else { "piece" };
        // The shadow falls to the lower right however the piece is turned.
        let shadow = if turned { "-28 -36" } else { "28 36" };
        let _ = write!(
            out,
            "<g transform=\"translate({x} {y}){turn} scale({})\">\
             <use href=\"#wedge\" transform=\"translate({shadow})\" fill=\"#3a2408\" opacity=\"0.35\"/>\
             <use href=\"#wedge\" fill=\"url(#{fill})\" stroke=\"#6b4a1d\" stroke-width=\"16\"/>",
            f64::from(face.size) / 100.0
        );
        let red = if face.promoted { " red" } else { "" };
        match self.options.labels {
            Labels::Letters => {
                let size = [440, 440, 340, 270, 220][face.letters.len().min(4)];
                let y = 90 + size / 3;
                let letters = &face.letters;
                let _ = write!(
                    out,
                    "<text class=\"label latin{red}\" y=\"{y}\" font-size=\"{size}\">{letters}</text>"
                );
            }
            Labels::Kanji => {
                let kanji = face.kanji;
                let _ = write!(
                    out,
                    "<text class=\"label{red}\" y=\"265\" font-size=\"560\">{kanji}</text>"
                );
            }
            Labels::Inscription => inscription(out, face.inscription, red),
        }
        out.push_str("</g>\n");
    }

    /// White's pieces in hand at the upper left, Black's at the lower right, or turned.
    fn draw_hands(&self, out: &mut String, hands: &[u8]) {
        if P::HAND_KINDS == 0 {
            return;
        }
        let ((left, top), (width, height)) = (self.origin(), self.board_size());
        for color in [Color::Black, Color::White] {
            let counts = &hands[color.index() * P::HAND_KINDS..][..P::HAND_KINDS];
            let bottom = (color == Color::Black) != self.options.flipped;
            let held = counts
                .iter()
                .enumerate()
                .rev()
                .filter(|(_, count)| **count > 0);
            for (place, (kind, count)) in held.enumerate() {
                let Some(face) = P::hand_face(kind, color) else {
                    continue;
                };
                let place = place as i32 * (SQUARE + 60);
                let (x, y) = match bottom {
                    true => (
                        left + width + MARGIN + 600,
                        top + height - SQUARE / 2 - place,
                    ),
                    false => (left - MARGIN - 900, top + SQUARE / 2 + place),
                };
                self.draw_piece(out, &face, x, y);
                if *count > 1 {
                    let (x, y) = (x + 590, y + 130);
                    let _ = writeln!(
                        out,
                        "<text class=\"note\" x=\"{x}\" y=\"{y}\">{count}</text>"
                    );
                }
            }
        }
    }
}

/// One to three kanji, one below the other.
fn inscription(out: &mut String, text: &str, red: &str) {
    let (size, first, step) = match text.chars().count() {
        1 => (520, 250, 0),
        2 => (390, 15, 355),
        _ => (275, -75, 245),
    };
    for (index, kanji) in text.chars().enumerate() {
        let y = first + index as i32 * step;
        let _ = write!(
            out,
            "<text class=\"label{red}\" y=\"{y}\" font-size=\"{size}\">{kanji}</text>"
        );
    }
}
