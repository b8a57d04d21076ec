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

    void run(Mode mode, Caller caller, String service) throws IOException {
        InetSocketAddress target = targets.of(mode, caller, service, "http").get(0);
        Greeting greeting = caller.namespace().call(() -> Greeting.ask(target, LIMIT));
        checks.expect(
                mode,
                caller.path() + ": a Service without endpoints refuses at once",
                greeting.outcome() == Greeting.Outcome.REFUSED
                        && greeting.elapsed().compareTo(AT_ONCE) < 0,
                greeting.outcome() + " after " + greeting.elapsed().toMillis() + " ms");
    }
}
