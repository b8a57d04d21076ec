package dev.nodepath.linux;

/**
 * How often a test does the same again. The few are enough to find what has just been broken; the many find what is
 * rare, and run with {@code scripts/test --long}, which sets the property {@value #LONG}.
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
