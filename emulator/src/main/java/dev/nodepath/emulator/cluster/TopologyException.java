package dev.nodepath.emulator.cluster;

import java.util.List;

/** The manifests do not describe a possible cluster. */
public final class TopologyException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    /** The faults, a line each. */
    public TopologyException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /** The faults, a line each: file, line, object, field, value and what was expected. */
    public List<String> problems() {
        return problems;
    }
}
