package dev.nodepath.linux.iptables;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Describes in one line why a command failed, with the refused line of its input. */
final class RestoreFailure {
    /** {@code line 2 failed}, {@code Error occurred at line: 3}, {@code line 2: CHAIN_DEL failed}, of iptables 1.8. */
    private static final Pattern LINE_NUMBER = Pattern.compile("\\bline:? (\\d{1,9})");

    /** The nf_tables variant notices a missing chain at the end of the table, and names the line of COMMIT. */
    private static final Pattern MISSING_CHAIN = Pattern.compile("Chain '([^']+)' does not exist");

    /** The lock of the legacy variant, ENOMEM, EAGAIN and EBUSY: the same input may be accepted later. */
    private static final Pattern TRANSIENT = Pattern.compile(
            "holding the xtables lock|Cannot allocate memory|Resource temporarily unavailable|Device or resource busy|Memory allocation problem");

    private final String program;
    private final int exitCode;
    private final String errors;
    private final List<String> lines;

    RestoreFailure(String program, int exitCode, String errors, String input) {
        this.program = program;
        this.exitCode = exitCode;
        this.errors = errors;
        this.lines = input.lines().toList();
    }

    /**
     * The failure. It is a refusal if the command names a line of the input and the reason is permanent. If the kernel
     * refuses the table of a legacy command, the named line is COMMIT, and no rule is blamed.
     */
    IptablesException exception() {
        int number = lineNumber();
        if (TRANSIENT.matcher(errors).find()) {
            return IptablesException.temporary(message(number));
        }
        if (number == 0) {
            return new IptablesException(message(0));
        }
        String line = lines.get(number - 1);
        return IptablesException.refusal(message(number), line.equals("COMMIT") ? "" : line);
    }

    private String message(int number) {
        StringBuilder message = new StringBuilder(program + ": exit code " + exitCode);
        String reason = oneLine();
        if (!reason.isEmpty()) {
            message.append(": ").append(reason);
        }
        if (number > 0) {
            message.append(": line ")
                    .append(number)
                    .append(" is \"")
                    .append(lines.get(number - 1))
                    .append('"');
        }
        return message.toString();
    }

    /** Counted from 1; 0 if it is not known. */
    private int lineNumber() {
        Matcher missing = MISSING_CHAIN.matcher(errors);
        if (missing.find()) {
            for (int i = 0; i < lines.size(); i++) {
                if (SavedRule.target(lines.get(i))
                        .filter(missing.group(1)::equals)
                        .isPresent()) {
                    return i + 1;
                }
            }
        }
        Matcher named = LINE_NUMBER.matcher(errors);
        int number = named.find() ? Integer.parseInt(named.group(1)) : 0;
        return number <= lines.size() ? number : 0;
    }

    /** The command's message without its own name and the advice to read the manual. */
    private String oneLine() {
        return errors.lines()
                .map(line ->
                        line.replaceFirst("^" + program + "( v[^:]*)?: ?", "").strip())
                .filter(line -> !line.isEmpty() && !line.startsWith("Try `"))
                .map(line -> line.endsWith(".") ? line.substring(0, line.length() - 1) : line)
                .reduce((before, after) -> before + "; " + after)
                .orElse("");
    }
}
