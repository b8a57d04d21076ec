package dev.nodepath.emulator.cluster;

import java.util.List;

/** Manifests cannot be a cluster. */
public final class TopologyException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    /** All that is wrong, a line each. */
    public TopologyException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /** All that is wrong, a line each: file, line, object, field, value and what was expected. */
    public List<String> problems() {
        return problems;
    }
}
