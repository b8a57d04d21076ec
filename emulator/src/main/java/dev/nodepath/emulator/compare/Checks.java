package dev.nodepath.emulator.compare;

import dev.nodepath.emulator.report.Expectation;
import java.util.ArrayList;
import java.util.List;

/** Collects what was expected and what was seen; says each failure at once. */
final class Checks {
    private final Progress progress;
    private final List<Expectation> expectations = new ArrayList<>();

    Checks(Progress progress) {
        this.progress = progress;
    }

    void expect(Mode mode, String what, boolean met, String observed) {
        expect(mode.toString(), what, met, observed);
    }

    void expect(String mode, String what, boolean met, String observed) {
        expectations.add(new Expectation(mode, what, met, observed));
        if (!met) {
            progress.say("FAILED " + mode + ": " + what + " (" + observed + ")");
        }
    }

    List<Expectation> all() {
        return List.copyOf(expectations);
    }
}
