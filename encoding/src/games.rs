//! Plane tables and globals of the two games. (under construction)
