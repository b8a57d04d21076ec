package dev.nodepath.emulator.compare;

import dev.nodepath.report.Check;
import java.util.ArrayList;
import java.util.List;

/** Collects expected and observed behaviour; reports each failure at once. */
final class Checks {
    private final Progress progress;
    private final List<Check> checks = new ArrayList<>();

    Checks(Progress progress) {
        this.progress = progress;
    }

    void expect(Mode mode, String what, boolean met, String observed) {
        expect(mode.toString(), what, met, observed);
    }

    void expect(String mode, String what, boolean met, String observed) {
        checks.add(new Check(mode, what, met, observed));
        if (!met) {
            progress.say("FAILED " + mode + ": " + what + " (" + observed + ")");
        }
    }

    List<Check> all() {
        return List.copyOf(checks);
    }
}
