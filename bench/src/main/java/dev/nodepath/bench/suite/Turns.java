package dev.nodepath.bench.suite;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The order in which contenders are measured: A B C, A B C and so on, so that whatever else the machine does meets all of them,
 * and a value has a baseline of the same round beside it.
 *
 * @param <C> a contender
 */
public final class Turns<C> {
    private final List<C> contenders;
    private final Set<String> failures = new LinkedHashSet<>();

    /** One turn of one contender. */
    @FunctionalInterface
    public interface Turn<C> {
        /** Measures it once, as part of a round. */
        void take(C contender, int round) throws Exception;
    }

    /** Turns of these, in this order. */
    public Turns(List<C> contenders) {
        this.contenders = List.copyOf(contenders);
    }

    /**
     * One round of one thing. A turn that fails gives no value, and the others are still measured.
     *
     * @throws InterruptedException if the run is to end
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

    /** What failed, each thing once. */
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
