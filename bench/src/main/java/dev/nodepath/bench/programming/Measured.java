package dev.nodepath.bench.programming;

import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.report.Samples;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The results of a part of the suite so far: figures, curves and notes. */
final class Measured {
    /** The name of Nodepath in the tables of the suite. */
    static final String OURS = "nodepath";

    private final Recorder recorder;
    private final List<String> notes = new ArrayList<>();

    /** An action that is timed. */
    interface Step {
        void run() throws Exception;
    }

    /** No figures yet. The floor is the divisor of the other contenders' figures. */
    Measured(String floor) {
        this.recorder = new Recorder(floor);
    }

    Recorder recorder() {
        return recorder;
    }

    List<String> notes() {
        return notes;
    }

    void note(String note) {
        if (!notes.contains(note)) {
            notes.add(note);
        }
    }

    void leaveOut(String why) {
        note("Left out: " + why + ".");
    }

    static double median(Collection<Double> values) {
        return new Samples(List.copyOf(values)).median();
    }

    static double millis(Step step) throws Exception {
        long start = System.nanoTime();
        step.run();
        return (System.nanoTime() - start) / 1e6;
    }
}
