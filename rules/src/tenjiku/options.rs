//! The rule options of section 14 and their text form. What they do is in the modules that read them.

use std::fmt;

use crate::{Rules, RulesError};

/// A value of one option.
trait OptionValue: Copy + PartialEq + 'static {
    /// The allowed values with their names, in the order of the rules.
    const VALUES: &'static [(&'static str, Self)];

    fn name(self) -> &'static str {
        let named = Self::VALUES.iter().find(|(_, value)| *value == self);
        named.expect("every value of an option is in its table").0
    }
}

/// Declares an option's enum with its value names.
macro_rules! option_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$value_doc])* #[doc = concat!("(`", $text, "`)")] $value,)* }

        impl OptionValue for $name {
            const VALUES: &'static [(&'static str, Self)] = &[$(($text, $name::$value)),*];
        }
    };
}

option_enum! {
    /// Which way the fire demon rides besides the diagonals.
    FireDemonRanging {
        /// Sideways.
        Rank = "rank",
        /// Forward and backward.
        File = "file",
    }
}
option_enum! {
    /// What burns when a demon's move ends next to an enemy demon.
    FireDemonClash {
        /// The mover alone.
        MoverOnly = "mover_only",
        /// First the mover's neighbours that are no demons, then the mover.
        OthersBurnToo = "others_burn_too",
    }
}
option_enum! {
    /// How the heavenly tetrarch rides.
    Tetrarch {
        /// Diagonally, forward and backward from the second square on.
        Historical = "historical",
        /// Without the rides forward and backward.
        Western = "western",
    }
}
option_enum! {
    /// What the lion hawk adds to the bishop.
    LionHawk {
        /// The lion.
        FullLion = "full_lion",
        /// An area move of two steps.
        TwoStepArea = "two_step_area",
    }
}
option_enum! {
    /// What the free eagle adds to the queen.
    FreeEagle {
        /// Jumps in all eight directions and the diagonal lion move.
        LionDiagonals = "lion_diagonals",
        /// The orthogonal jumps.
        OrthogonalJump = "orthogonal_jump",
    }
}
option_enum! {
    /// What a general may capture after a jump.
    GeneralJumpCapture {
        /// Anything but a royal.
        AnyButRoyal = "any_but_royal",
        /// Strictly lower ranks.
        LowerOnly = "lower_only",
        /// Anything.
        RoyalsToo = "royals_too",
    }
}
option_enum! {
    /// When a piece may promote.
    PromotionRule {
        /// On entering the zone, and on a capture that starts or ends in it.
        EntryOrCapture = "entry_or_capture",
        /// On every move that starts or ends in the zone.
        AnyZoneMove = "any_zone_move",
    }
}
option_enum! {
    /// Whether a position may recur.
    Repetition {
        /// It may not.
        Forbidden = "forbidden",
        /// It may.
        None = "none",
    }
}

impl OptionValue for bool {
    const VALUES: &'static [(&'static str, Self)] = &[("true", true), ("false", false)];
}

impl OptionValue for u8 {
    const VALUES: &'static [(&'static str, Self)] = &[("1", 1), ("2", 2), ("3", 3)];
}

/// The rules in force: one value for each option of section 14. The default is the preset `historical`.
///
/// Serialises as its canonical text (see [`Rules::name`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RuleSet {
    /// `fire_demon_ranging`: sections 2 and 6.
    pub fire_demon_ranging: FireDemonRanging,
    /// `fire_demon_clash`: section 6.
    pub fire_demon_clash: FireDemonClash,
    /// `tetrarch`: sections 2 and 14.
    pub tetrarch: Tetrarch,
    /// `lion_hawk`: sections 4 and 14.
    pub lion_hawk: LionHawk,
    /// `free_eagle`: sections 4 and 14.
    pub free_eagle: FreeEagle,
    /// `general_jump_capture`: section 5.
    pub general_jump_capture: GeneralJumpCapture,
    /// `general_jump_without_capture`: whether a general that has jumped may stop on an empty square.
    pub general_jump_without_capture: bool,
    /// `vice_general_steps`: length of the vice general's area move, 1..=3; other values count as the nearest.
    pub vice_general_steps: u8,
    /// `promotion_rule`: section 7.
    pub promotion_rule: PromotionRule,
    /// `forced_promotion`: whether pieces that could never move again must promote.
    pub forced_promotion: bool,
    /// `second_chance_promotion`: section 7.
    pub second_chance_promotion: bool,
    /// `repetition`: section 10.
    pub repetition: Repetition,
    /// `repetition_in_check_allowed`: section 10.
    pub repetition_in_check_allowed: bool,
}

/// One option of a rule set, for documentation, menus and tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionInfo {
    /// The name of the option.
    pub name: &'static str,
    /// The names of the allowed values.
    pub allowed: Vec<&'static str>,
    /// The name of the value in force.
    pub value: &'static str,
}

/// Runs `$action!(field)` for each option, in the order of the rules.
macro_rules! for_each_option {
    ($action:ident) => {
        $action!(fire_demon_ranging);
        $action!(fire_demon_clash);
        $action!(tetrarch);
        $action!(lion_hawk);
        $action!(free_eagle);
        $action!(general_jump_capture);
        $action!(general_jump_without_capture);
        $action!(vice_general_steps);
        $action!(promotion_rule);
        $action!(forced_promotion);
        $action!(second_chance_promotion);
        $action!(repetition);
        $action!(repetition_in_check_allowed);
    };
}

impl RuleSet {
    /// After [W], which follows the books of the Edo period; the default.
    pub const HISTORICAL: RuleSet = RuleSet {
        fire_demon_ranging: FireDemonRanging::Rank,
        fire_demon_clash: FireDemonClash::MoverOnly,
        tetrarch: Tetrarch::Historical,
        lion_hawk: LionHawk::FullLion,
        free_eagle: FreeEagle::LionDiagonals,
        general_jump_capture: GeneralJumpCapture::AnyButRoyal,
        general_jump_without_capture: false,
        vice_general_steps: 3,
        promotion_rule: PromotionRule::EntryOrCapture,
        forced_promotion: false,
        second_chance_promotion: false,
        repetition: Repetition::Forbidden,
        repetition_in_check_allowed: false,
    };

    /// The present practice of western players.
    pub const WESTERN: RuleSet = RuleSet {
        fire_demon_ranging: FireDemonRanging::File,
        tetrarch: Tetrarch::Western,
        free_eagle: FreeEagle::OrthogonalJump,
        forced_promotion: true,
        ..RuleSet::HISTORICAL
    };

    /// The leaflet of the Shogi Association (1983), as told by others.
    pub const TSA: RuleSet = RuleSet {
        lion_hawk: LionHawk::TwoStepArea,
        general_jump_capture: GeneralJumpCapture::LowerOnly,
        promotion_rule: PromotionRule::AnyZoneMove,
        repetition: Repetition::None,
        ..RuleSet::WESTERN
    };

    /// The presets with their names, the default first.
    pub const PRESETS: [(&'static str, RuleSet); 3] = [
        ("historical", RuleSet::HISTORICAL),
        ("western", RuleSet::WESTERN),
        ("tsa", RuleSet::TSA),
    ];

    /// Every option with its allowed values and its value here, in the order of the rules.
    pub fn options(&self) -> Vec<OptionInfo> {
        fn info<T: OptionValue>(name: &'static str, value: T) -> OptionInfo {
            let allowed = T::VALUES.iter().map(|(name, _)| *name).collect();
            OptionInfo {
                name,
                allowed,
                value: value.name(),
            }
        }
        let mut options = Vec::new();
        macro_rules! list {
            ($field:ident) => {
                options.push(info(stringify!($field), self.clamped().$field));
            };
        }
        for_each_option!(list);
        options
    }

    /// Sets an option by name.
    ///
    /// # Errors
    /// [`RulesError`] naming the unknown option or value and what is allowed.
    pub fn set(&mut self, option: &str, value: &str) -> Result<(), RulesError> {
        fn set<T: OptionValue>(field: &mut T, option: &str, text: &str) -> Result<(), RulesError> {
            let Some((_, value)) = T::VALUES.iter().find(|(name, _)| *name == text) else {
                let allowed: Vec<_> = T::VALUES.iter().map(|(name, _)| *name).collect();
                return Err(RulesError(format!(
                    "unknown value `{text}` of `{option}`; allowed: {}",
                    allowed.join(", ")
                )));
            };
            *field = *value;
            Ok(())
        }
        macro_rules! try_set {
            ($field:ident) => {
                if option == stringify!($field) {
                    return set(&mut self.$field, option, value);
                }
            };
        }
        for_each_option!(try_set);
        let names: Vec<_> = self.options().iter().map(|option| option.name).collect();
        Err(RulesError(format!(
            "unknown option `{option}`; allowed: {}",
            names.join(", ")
        )))
    }

    /// The same rules with `vice_general_steps` in range.
    fn clamped(&self) -> RuleSet {
        RuleSet {
            vice_general_steps: self.vice_general_steps.clamp(1, 3),
            ..*self
        }
    }
}

impl Default for RuleSet {
    fn default() -> RuleSet {
        RuleSet::HISTORICAL
    }
}

impl Rules for RuleSet {
    fn parse(text: &str) -> Result<RuleSet, RulesError> {
        let mut parts = text.split(',');
        let preset = parts.next().unwrap_or_default();
        let Some((_, mut rules)) = RuleSet::PRESETS
            .into_iter()
            .find(|(name, _)| *name == preset)
        else {
            return Err(RulesError(format!(
                "unknown preset `{preset}`; write historical, western or tsa, then ,option=value for each \
                 option that differs"
            )));
        };
        let mut seen = Vec::new();
        for part in parts {
            let Some((option, value)) = part.split_once('=') else {
                return Err(RulesError(format!(
                    "`{part}` is not of the form option=value"
                )));
            };
            if seen.contains(&option) {
                return Err(RulesError(format!("option `{option}` is set twice")));
            }
            rules.set(option, value)?;
            seen.push(option);
        }
        Ok(rules)
    }

    fn name(&self) -> String {
        let own = self.options();
        let texts = RuleSet::PRESETS.iter().map(|(preset, rules)| {
            let options = own.iter().zip(rules.options());
            let changed = options.filter(|(own, preset)| own.value != preset.value);
            let changed: Vec<_> = changed
                .map(|(own, _)| format!(",{}={}", own.name, own.value))
                .collect();
            (changed.len(), format!("{preset}{}", changed.concat()))
        });
        texts
            .min_by_key(|(changes, _)| *changes)
            .expect("there are presets")
            .1
    }

    fn presets() -> Vec<String> {
        RuleSet::PRESETS.map(|(name, _)| name.to_string()).into()
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl From<RuleSet> for String {
    fn from(rules: RuleSet) -> String {
        rules.name()
    }
}

impl TryFrom<String> for RuleSet {
    type Error = RulesError;
    fn try_from(text: String) -> Result<RuleSet, RulesError> {
        RuleSet::parse(&text)
    }
}
