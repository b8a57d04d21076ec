package dev.nodepath.emulator.compare;

import dev.nodepath.emulator.traffic.Greeting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Checks that a Service without endpoints refuses a connection at once. */
final class RefusalCheck {
    /** Shorter than the time to a client's first retransmission. */
    private static final Duration AT_ONCE = Duration.ofMillis(900);

    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final Targets targets;
    private final Checks checks;

    RefusalCheck(Targets targets, Checks checks) {
        this.targets = targets;
        this.checks = checks;
    }

    void run(Mode mode, Vantage vantage, String service) throws IOException {
        InetSocketAddress target = targets.of(mode, vantage, service, "http").get(0);
        Greeting greeting = vantage.namespace().call(() -> Greeting.ask(target, LIMIT));
        checks.expect(
                mode,
                vantage.path() + ": a Service without endpoints refuses at once",
                greeting.outcome() == Greeting.Outcome.REFUSED
                        && greeting.elapsed().compareTo(AT_ONCE) < 0,
                greeting.outcome() + " after " + greeting.elapsed().toMillis() + " ms");
    }
}
