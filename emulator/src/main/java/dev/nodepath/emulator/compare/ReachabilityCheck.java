package dev.nodepath.emulator.compare;

import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.emulator.traffic.Greeting;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Opens connections one after the other and checks that every backend answers and sees the right source address. */
final class ReachabilityCheck {
    /** The number of connections. With three backends picked at random, the chance to miss one is below 1 in 10^10. */
    private static final int CONNECTIONS = 60;

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final Targets targets;
    private final ExpectedSource expectedSource;
    private final Checks checks;

    ReachabilityCheck(Targets targets, ExpectedSource expectedSource, Checks checks) {
        this.targets = targets;
        this.expectedSource = expectedSource;
        this.checks = checks;
    }

    ObservedAnswers run(Mode mode, Caller caller, String service) throws IOException {
        List<InetSocketAddress> addresses = targets.of(mode, caller, service, "http");
        List<Greeting> greetings = caller.namespace().call(() -> {
            List<Greeting> all = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                all.add(Greeting.ask(addresses.get(i % addresses.size()), LIMIT));
            }
            return all;
        });
        SortedMap<String, Integer> answers = new TreeMap<>();
        SortedMap<String, Integer> sources = new TreeMap<>();
        for (Greeting greeting : greetings) {
            boolean answered = greeting.outcome() == Greeting.Outcome.ANSWERED;
            answers.merge(answered ? greeting.pod() : greeting.outcome().toString(), 1, Integer::sum);
            if (answered) {
                sources.merge(greeting.source(), 1, Integer::sum);
            }
        }
        List<String> backends =
                targets.backends(service).stream().map(pod -> pod.name()).toList();
        checks.expect(
                mode,
                caller.path() + ": every backend answers, and nobody else",
                answers.keySet().equals(new TreeSet<>(backends)),
                "answered by " + answers + ", backends " + backends);
        String wrong = wrongSources(mode, caller, service, greetings);
        checks.expect(
                mode,
                caller.path() + ": backends see the source address that this mode gives",
                wrong.isEmpty(),
                wrong.isEmpty() ? "seen " + sources.keySet() : wrong);
        return new ObservedAnswers(mode.toString(), caller.path(), answers, sources);
    }

    /** The first answer with a wrong source address; empty if all are right. */
    private String wrongSources(Mode mode, Caller caller, String service, List<Greeting> greetings) {
        for (PodView backend : targets.backends(service)) {
            String expected = expectedSource.of(mode, caller, backend.node()).toString();
            for (Greeting greeting : greetings) {
                if (greeting.pod().equals(backend.name()) && !greeting.source().equals(expected)) {
                    return greeting.pod() + " saw " + greeting.source() + " (expected: " + expected + ")";
                }
            }
        }
        return "";
    }
}
