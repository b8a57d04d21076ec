package dev.nodepath.agent.process;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The name by which the user called this program, so that commands in its messages work as they are pasted. */
public final class ProgramName {
    /** The property in which {@code scripts/nodepath} says how it was called. */
    public static final String PROPERTY = "nodepath.program";

    private static final String NAME = "nodepath";
    private static final Pattern COMMAND = Pattern.compile("(?<=^|')" + NAME + "(?= |$)");
    private static final Pattern OF_A_SHELL = Pattern.compile("[^A-Za-z0-9_./+,:@%=-]");

    private ProgramName() {}

    /** As it was typed, such as {@code scripts/nodepath}, in the form that a shell takes. */
    public static String typed() {
        return quoted(System.getProperty(PROPERTY, NAME));
    }

    /** A word in the form that a shell takes. */
    public static String quoted(String word) {
        return OF_A_SHELL.matcher(word).replaceAll("\\\\$0");
    }

    /** A text with its commands, {@code nodepath ...} at its beginning or after a quote, in the form to type. */
    public static String in(String text) {
        return COMMAND.matcher(text).replaceAll(Matcher.quoteReplacement(typed()));
    }
}
