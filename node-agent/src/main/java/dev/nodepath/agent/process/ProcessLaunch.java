package dev.nodepath.agent.process;

/** How Java starts programs. */
public final class ProcessLaunch {
    /** The last version of Java that starts programs by {@code vfork} without a warning (JDK-8357180). */
    private static final int LAST_VERSION = 24;

    private static final String MECHANISM = "jdk.lang.Process.launchMechanism";

    private ProcessLaunch() {}

    /**
     * Programs are started by {@code vfork}: Java's default starts a helper program before each, which takes twice the
     * time. It must be called before the first one is started.
     */
    public static void configure() {
        if (isQuiet(Runtime.version().feature()) && System.getProperty(MECHANISM) == null) {
            System.setProperty(MECHANISM, "VFORK");
        }
    }

    /** Whether that version of Java starts programs by {@code vfork} without a warning on standard error. */
    static boolean isQuiet(int javaVersion) {
        return javaVersion <= LAST_VERSION;
    }
}
