package dev.nodepath.bench.suite;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The order of the measurements: A B C, A B C and so on. Other load of the machine affects all contenders, and each
 * value has a baseline of the same round.
 *
 * @param <C> a contender
 */
public final class Turns<C> {
    private final List<C> contenders;
    private final Set<String> failures = new LinkedHashSet<>();

    /** One measurement of one contender. */
    @FunctionalInterface
    public interface Turn<C> {
        /** Measures the contender once, as part of a round. */
        void take(C contender, int round) throws Exception;
    }

    /** Turns of these, in this order. */
    public Turns(List<C> contenders) {
        this.contenders = List.copyOf(contenders);
    }

    /**
     * Runs one round. A turn that fails gives no value, and the others go on.
     *
     * @throws InterruptedException if the run is ended
     */
    public void round(String what, int round, Turn<C> turn) throws InterruptedException {
        for (C contender : contenders) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            try {
                turn.take(contender, round);
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                failures.add(what + ", " + contender + ": failed: " + firstLine(e));
            }
        }
    }

    /** The failures, each once. */
    public List<String> failures() {
        return new ArrayList<>(failures);
    }

    private static String firstLine(Exception e) {
        Throwable cause = e.getCause() != null ? e.getCause() : e;
        return String.valueOf(cause.getMessage())
                .lines()
                .findFirst()
                .orElse(cause.getClass().getSimpleName());
    }
}
