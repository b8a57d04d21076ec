package dev.nodepath.agent.process;

/** How Java starts programs. */
public final class ProcessLaunch {
    /** The last version of Java that starts programs by {@code vfork} without a warning. */
    private static final int LAST_VERSION = 25;

    private static final String MECHANISM = "jdk.lang.Process.launchMechanism";

    private ProcessLaunch() {}

    /**
     * Programs are started by {@code vfork}: Java's default starts a helper program before each, which takes twice the
     * time. It must be called before the first one is started.
     */
    public static void configure() {
        if (Runtime.version().feature() <= LAST_VERSION && System.getProperty(MECHANISM) == null) {
            System.setProperty(MECHANISM, "VFORK");
        }
    }
}
