//! The rule options of standard shogi.

use crate::{Rules, RulesError};

/// Options of standard shogi. The default is the preset `standard`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSet {
    /// Whether a side may win by the 27-point declaration (option `declaration=on|off`).
    pub declaration: bool,
}

impl Default for RuleSet {
    fn default() -> RuleSet {
        RuleSet { declaration: true }
    }
}

impl Rules for RuleSet {
    fn parse(text: &str) -> Result<RuleSet, RulesError> {
        let mut parts = text.split(',');
        let preset = parts.next().unwrap_or_default();
        if preset != "standard" {
            return Err(RulesError(format!(
                "unknown preset `{preset}` of shogi; the only one is `standard`"
            )));
        }
        let mut rules = RuleSet::default();
        for option in parts {
            rules.declaration = match option.split_once('=') {
                Some(("declaration", "on")) => true,
                Some(("declaration", "off")) => false,
                Some(("declaration", value)) => {
                    return Err(RulesError(format!(
                        "unknown value `{value}` of the option `declaration`; use `on` or `off`"
                    )));
                }
                _ => {
                    return Err(RulesError(format!(
                        "unknown option `{option}` of shogi; use `declaration=on` or `declaration=off`"
                    )));
                }
            };
        }
        Ok(rules)
    }

    fn name(&self) -> String {
        if self.declaration {
            "standard".to_string()
        } else {
            "standard,declaration=off".to_string()
        }
    }
}
