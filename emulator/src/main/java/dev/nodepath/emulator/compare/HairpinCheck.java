package dev.nodepath.emulator.compare;

import dev.nodepath.emulator.traffic.Greeting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Checks a pod that calls itself through its own Service: it must get an answer, from another source than its own
 * address.
 */
final class HairpinCheck {
    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final Targets targets;
    private final ExpectedSource expectedSource;
    private final Checks checks;

    HairpinCheck(Targets targets, ExpectedSource expectedSource, Checks checks) {
        this.targets = targets;
        this.expectedSource = expectedSource;
        this.checks = checks;
    }

    void run(Mode mode, Caller pod, String service) throws IOException {
        InetSocketAddress target = targets.of(mode, pod, service, "http").get(0);
        Greeting greeting = pod.namespace().call(() -> Greeting.ask(target, LIMIT));
        String expected = expectedSource.ofHairpin(pod.node()).toString();
        checks.expect(
                mode,
                "a pod reaches itself through its own Service, masqueraded",
                greeting.outcome() == Greeting.Outcome.ANSWERED
                        && greeting.source().equals(expected),
                greeting.outcome() + ", source " + greeting.source() + " (expected: " + expected + ")");
    }
}
