//! The positions of one file, packed.

use std::sync::Arc;

use super::GameInfo;
use super::store::{Blob, Store};
use crate::dataset::{Dataset, Shard};
use crate::error::{RecordsError, RowError};
use crate::pack::{BLOCK, Unpacker, pack};
use crate::record::PositionRecord;
use crate::schema::Shape;

/// A game in a [`PackedShard`].
pub(super) struct PackedGame {
    pub info: GameInfo,
    /// Index of its first block in `PackedShard::blocks`.
    first_block: u32,
    /// Index of its first bit in `PackedShard::targets`.
    first_bit: u32,
}

/// All games of one file that have positions.
pub(super) struct PackedShard {
    pub shard: Shard,
    pub games: Vec<PackedGame>,
    blob: Blob,
    /// Where each block begins in the blob, and where the last one ends.
    blocks: Vec<u32>,
    /// One bit a row: whether it has a policy target.
    targets: Vec<u64>,
}

impl PackedShard {
    /// Reads and checks a pair of files.
    pub(super) fn load(
        dataset: &Dataset,
        shard: Shard,
        store: &Store,
    ) -> Result<PackedShard, RecordsError> {
        let (mut bytes, mut blocks, mut games, mut targets) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut rules: Arc<str> = "".into();
        let mut bits = 0;
        dataset.read(&shard, |game, rows| {
            if rows.is_empty() {
                return Ok(());
            }
            if *rules != *game.rules {
                rules = game.rules.as_str().into();
            }
            let (first_block, first_bit) = (blocks.len() as u32, bits as u32);
            pack(&rows, &mut bytes, &mut blocks)
                .map_err(|problem| RowError::new(&game.id, None, problem))?;
            for row in &rows {
                if bits % 64 == 0 {
                    targets.push(0u64);
                }
                targets[bits / 64] |= u64::from(row.policy.is_some()) << (bits % 64);
                bits += 1;
            }
            let info = GameInfo {
                id: game.id.into(),
                rules: rules.clone(),
                generation: game.generation,
                plies: rows.len() as u32,
                winner: game.winner,
                reason: game.reason,
            };
            games.push(PackedGame {
                info,
                first_block,
                first_bit,
            });
            Ok(())
        })?;
        blocks.push(bytes.len());
        let too_large = |_| {
            RecordsError::NoData(format!(
                "{}: more than 4 GiB of positions in one file",
                shard.stem
            ))
        };
        let blocks = blocks
            .into_iter()
            .map(u32::try_from)
            .collect::<Result<_, _>>()
            .map_err(too_large)?;
        games.shrink_to_fit();
        targets.shrink_to_fit();
        Ok(PackedShard {
            shard,
            games,
            blob: store.keep(bytes)?,
            blocks,
            targets,
        })
    }

    /// The plies of a game that have a policy target, ascending.
    pub(super) fn targets(&self, game: &PackedGame) -> impl Iterator<Item = u32> + '_ {
        let first = game.first_bit;
        (0..game.info.plies).filter(move |ply| {
            let bit = (first + ply) as usize;
            self.targets[bit / 64] >> (bit % 64) & 1 != 0
        })
    }

    /// Ply `ply` of game number `game`.
    pub(super) fn row(
        &self,
        game: usize,
        ply: u32,
        shape: &Shape,
    ) -> Result<PositionRecord, RecordsError> {
        let block = self.games[game].first_block as usize + ply as usize / BLOCK;
        let range = self.blocks[block] as usize..self.blocks[block + 1] as usize;
        self.blob.with(range, |bytes| {
            let decode = || {
                let mut rows = Unpacker::new(bytes, shape)?;
                for _ in 0..ply as usize % BLOCK {
                    rows.skip()?;
                }
                rows.row()
            };
            decode().ok_or_else(|| {
                RecordsError::NoData(format!(
                    "{}: packed positions were damaged in memory or in the temporary file",
                    self.shard.stem
                ))
            })
        })?
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let games: usize = self
            .games
            .iter()
            .map(|g| size_of::<PackedGame>() + g.info.id.len())
            .sum();
        self.blob.memory_bytes() + 4 * self.blocks.len() + 8 * self.targets.len() + games
    }

    pub(super) fn disk_bytes(&self) -> usize {
        self.blob.disk_bytes()
    }
}
