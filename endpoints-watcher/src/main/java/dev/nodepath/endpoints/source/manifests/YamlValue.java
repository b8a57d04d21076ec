package dev.nodepath.endpoints.source.manifests;

import java.util.List;
import java.util.Map;

/** A value of a YAML document, with the line it starts in (from 1). Immutable; aliases share values. */
sealed interface YamlValue {
    int line();

    /** The scalar types of the YAML 1.2 core schema. */
    enum ScalarType {
        STRING,
        INTEGER,
        FLOAT,
        BOOLEAN,
        NULL
    }

    record Scalar(String text, ScalarType type, int line) implements YamlValue {}

    record Sequence(List<YamlValue> items, int line) implements YamlValue {}

    /** The fields keep the order of the document. */
    record Mapping(Map<String, YamlValue> fields, int line) implements YamlValue {}
}
