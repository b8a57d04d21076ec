package dev.nodepath.linux;

/**
 * The number of a test's repetitions. The few find fresh faults; the many find rare ones, and run with {@code
 * scripts/test --long}, which sets the property {@value #LONG}.
 */
public final class Repetitions {
    private static final String LONG = "nodepath.test.long";

    private Repetitions() {}

    public static boolean areWhole() {
        return Boolean.getBoolean(LONG);
    }

    public static int of(int few, int many) {
        return areWhole() ? many : few;
    }
}
