//! Writing ONNX protobuf messages without ceremony. Knows nothing of our network.

use tract_onnx::pb;
use tract_onnx::pb::attribute_proto::AttributeType;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::tensor_shape_proto::{Dimension, dimension};
use tract_onnx::pb::type_proto;
use tract_onnx::prelude::f16;

/// One dimension of an input or output.
#[derive(Clone, Copy)]
pub enum Dim {
    /// The batch, any number.
    Batch,
    /// A fixed length.
    Fixed(usize),
}

/// Name of the batch dimension in the file.
pub const BATCH: &str = "N";

/// Collects nodes and initializers of a graph.
#[derive(Default)]
pub struct GraphBuilder {
    nodes: Vec<pb::NodeProto>,
    initializers: Vec<pb::TensorProto>,
}

impl GraphBuilder {
    /// Adds a node with one output, which also names the node; returns that name.
    pub fn node(
        &mut self,
        op: &str,
        inputs: &[&str],
        output: &str,
        attributes: Vec<pb::AttributeProto>,
    ) -> String {
        self.nodes.push(pb::NodeProto {
            name: output.to_string(),
            op_type: op.to_string(),
            input: inputs.iter().map(|s| s.to_string()).collect(),
            output: vec![output.to_string()],
            attribute: attributes,
            ..Default::default()
        });
        output.to_string()
    }

    /// Adds a constant f32 tensor; returns its name.
    ///
    /// # Panics
    /// If the number of values does not fit the shape.
    pub fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        assert_eq!(
            shape.iter().product::<usize>(),
            values.len(),
            "values of `{name}`"
        );
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(name, DataType::Float, shape, bytes)
    }

    /// Adds a tensor kept in half precision and cast to f32 at load; returns the name of the f32 tensor. Values beyond
    /// the range of half precision become infinite.
    ///
    /// # Panics
    /// As [`floats`](Self::floats).
    pub fn halves(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        assert_eq!(
            shape.iter().product::<usize>(),
            values.len(),
            "values of `{name}`"
        );
        let bytes = values
            .iter()
            .flat_map(|&v| f16::from_f32(v).to_le_bytes())
            .collect();
        let kept = self.constant(&format!("{name}.f16"), DataType::Float16, shape, bytes);
        self.node("Cast", &[&kept], name, vec![to_f32()])
    }

    /// Adds a tensor kept as signed bytes with a factor for each index of its first axis; returns the name of the f32
    /// tensor. The factor is the largest absolute value of the row / 127. The multiplication is written as `Cast` and
    /// `Mul`, not `DequantizeLinear`, because run-times fold those into a constant at load, and keep that one.
    ///
    /// # Panics
    /// As [`floats`](Self::floats).
    pub fn signed_bytes(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        let rows = shape[0];
        assert_eq!(
            shape.iter().product::<usize>(),
            values.len(),
            "values of `{name}`"
        );
        let (mut factors, mut bytes) = (Vec::with_capacity(rows), Vec::with_capacity(values.len()));
        for row in values.chunks_exact(values.len() / rows) {
            let largest = row.iter().fold(0.0f32, |max, v| max.max(v.abs()));
            // A row of zeros keeps its zeros under any factor.
            let factor = if largest > 0.0 { largest / 127.0 } else { 1.0 };
            factors.push(factor);
            bytes.extend(row.iter().map(|v| (v / factor).round() as i8 as u8));
        }
        let mut along_rows = vec![1; shape.len()];
        along_rows[0] = rows;
        let kept = self.constant(&format!("{name}.int8"), DataType::Int8, shape, bytes);
        let factor = self.floats(&format!("{name}.factor"), &along_rows, &factors);
        let cast = self.node("Cast", &[&kept], &format!("{name}.cast"), vec![to_f32()]);
        self.node("Mul", &[&cast, &factor], name, vec![])
    }

    fn constant(&mut self, name: &str, kind: DataType, shape: &[usize], bytes: Vec<u8>) -> String {
        self.initializers.push(pb::TensorProto {
            name: name.to_string(),
            data_type: kind as i32,
            dims: shape.iter().map(|&d| d as i64).collect(),
            raw_data: bytes,
            ..Default::default()
        });
        name.to_string()
    }

    /// Adds a constant vector of i64 (shapes are given in this way); returns its name.
    pub fn ints(&mut self, name: &str, values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constant(name, DataType::Int64, &[values.len()], bytes)
    }

    /// The graph.
    pub fn finish(
        self,
        name: &str,
        inputs: Vec<pb::ValueInfoProto>,
        outputs: Vec<pb::ValueInfoProto>,
    ) -> pb::GraphProto {
        pb::GraphProto {
            name: name.to_string(),
            node: self.nodes,
            initializer: self.initializers,
            input: inputs,
            output: outputs,
            ..Default::default()
        }
    }
}

/// The attribute of a `Cast` to f32.
fn to_f32() -> pb::AttributeProto {
    int("to", DataType::Float as i64)
}

/// An integer attribute.
pub fn int(name: &str, value: i64) -> pb::AttributeProto {
    pb::AttributeProto {
        name: name.to_string(),
        r#type: AttributeType::Int as i32,
        i: value,
        ..Default::default()
    }
}

/// An attribute of several integers.
pub fn ints(name: &str, values: &[i64]) -> pb::AttributeProto {
    pb::AttributeProto {
        name: name.to_string(),
        r#type: AttributeType::Ints as i32,
        ints: values.to_vec(),
        ..Default::default()
    }
}

/// The declaration of an input or output.
pub fn value(name: &str, data_type: DataType, shape: &[Dim], doc: &str) -> pb::ValueInfoProto {
    let dim = shape
        .iter()
        .map(|dim| Dimension {
            denotation: String::new(),
            value: Some(match dim {
                Dim::Batch => dimension::Value::DimParam(BATCH.to_string()),
                Dim::Fixed(length) => dimension::Value::DimValue(*length as i64),
            }),
        })
        .collect();
    pb::ValueInfoProto {
        name: name.to_string(),
        doc_string: doc.to_string(),
        r#type: Some(pb::TypeProto {
            denotation: String::new(),
            value: Some(type_proto::Value::TensorType(type_proto::Tensor {
                elem_type: data_type as i32,
                shape: Some(pb::TensorShapeProto { dim }),
            })),
        }),
    }
}

/// A key and value of the metadata.
pub fn property(key: &str, value: impl Into<String>) -> pb::StringStringEntryProto {
    pb::StringStringEntryProto {
        key: key.to_string(),
        value: value.into(),
    }
}
