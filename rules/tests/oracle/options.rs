//! Section 14 of the rules: options and presets, as plain public fields.

/// Every rule option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub demon_ranges_along_file: bool,
    pub clash_burns_others_too: bool,
    pub western_tetrarch: bool,
    pub two_step_lion_hawk: bool,
    pub orthogonal_free_eagle: bool,
    pub jump_capture: JumpCapture,
    pub jump_without_capture: bool,
    pub vice_general_steps: usize,
    pub promote_on_any_zone_move: bool,
    pub forced_promotion: bool,
    pub second_chance_promotion: bool,
    pub repetition_forbidden: bool,
    pub repetition_in_check_allowed: bool,
}

/// What a general may capture after a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JumpCapture {
    AnyButRoyal,
    LowerOnly,
    RoyalsToo,
}

/// Option names with their values, for tests that choose rules at random.
pub const CHOICES: [(&str, &[&str]); 13] = [
    ("fire_demon_ranging", &["rank", "file"]),
    ("fire_demon_clash", &["mover_only", "others_burn_too"]),
    ("tetrarch", &["historical", "western"]),
    ("lion_hawk", &["full_lion", "two_step_area"]),
    ("free_eagle", &["lion_diagonals", "orthogonal_jump"]),
    (
        "general_jump_capture",
        &["any_but_royal", "lower_only", "royals_too"],
    ),
    ("general_jump_without_capture", &["true", "false"]),
    ("vice_general_steps", &["1", "2", "3"]),
    ("promotion_rule", &["entry_or_capture", "any_zone_move"]),
    ("forced_promotion", &["true", "false"]),
    ("second_chance_promotion", &["true", "false"]),
    ("repetition", &["forbidden", "none"]),
    ("repetition_in_check_allowed", &["true", "false"]),
];

impl Options {
    /// Reads `preset[,option=value]...`.
    pub fn parse(text: &str) -> Result<Options, String> {
        let mut parts = text.split(',');
        let mut options = Self::preset(parts.next().unwrap_or(""))?;
        for part in parts {
            let (name, value) = part.split_once('=').ok_or(format!("no `=` in `{part}`"))?;
            options.set(name, value)?;
        }
        Ok(options)
    }

    fn preset(name: &str) -> Result<Options, String> {
        let historical = Options {
            demon_ranges_along_file: false,
            clash_burns_others_too: false,
            western_tetrarch: false,
            two_step_lion_hawk: false,
            orthogonal_free_eagle: false,
            jump_capture: JumpCapture::AnyButRoyal,
            jump_without_capture: false,
            vice_general_steps: 3,
            promote_on_any_zone_move: false,
            forced_promotion: false,
            second_chance_promotion: false,
            repetition_forbidden: true,
            repetition_in_check_allowed: false,
        };
        let western = Options {
            demon_ranges_along_file: true,
            western_tetrarch: true,
            orthogonal_free_eagle: true,
            forced_promotion: true,
            ..historical.clone()
        };
        match name {
            "historical" => Ok(historical),
            "western" => Ok(western),
            "tsa" => Ok(Options {
                two_step_lion_hawk: true,
                jump_capture: JumpCapture::LowerOnly,
                promote_on_any_zone_move: true,
                repetition_forbidden: false,
                ..western
            }),
            _ => Err(format!("no preset `{name}`")),
        }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let truth = |yes: &str, no: &str| match value {
            v if v == yes => Ok(true),
            v if v == no => Ok(false),
            _ => Err(format!("no value `{value}` of `{name}`")),
        };
        match name {
            "fire_demon_ranging" => self.demon_ranges_along_file = truth("file", "rank")?,
            "fire_demon_clash" => {
                self.clash_burns_others_too = truth("others_burn_too", "mover_only")?
            }
            "tetrarch" => self.western_tetrarch = truth("western", "historical")?,
            "lion_hawk" => self.two_step_lion_hawk = truth("two_step_area", "full_lion")?,
            "free_eagle" => {
                self.orthogonal_free_eagle = truth("orthogonal_jump", "lion_diagonals")?
            }
            "general_jump_capture" => {
                self.jump_capture = match value {
                    "any_but_royal" => JumpCapture::AnyButRoyal,
                    "lower_only" => JumpCapture::LowerOnly,
                    "royals_too" => JumpCapture::RoyalsToo,
                    _ => return Err(format!("no value `{value}` of `{name}`")),
                }
            }
            "general_jump_without_capture" => self.jump_without_capture = truth("true", "false")?,
            "vice_general_steps" => {
                self.vice_general_steps = match value {
                    "1" => 1,
                    "2" => 2,
                    "3" => 3,
                    _ => return Err(format!("no value `{value}` of `{name}`")),
                }
            }
            "promotion_rule" => {
                self.promote_on_any_zone_move = truth("any_zone_move", "entry_or_capture")?
            }
            "forced_promotion" => self.forced_promotion = truth("true", "false")?,
            "second_chance_promotion" => self.second_chance_promotion = truth("true", "false")?,
            "repetition" => self.repetition_forbidden = truth("forbidden", "none")?,
            "repetition_in_check_allowed" => {
                self.repetition_in_check_allowed = truth("true", "false")?
            }
            _ => return Err(format!("no option `{name}`")),
        }
        Ok(())
    }
}
