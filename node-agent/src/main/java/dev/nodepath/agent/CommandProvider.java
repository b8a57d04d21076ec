package dev.nodepath.agent;

import java.util.List;

/** Adds commands of a higher module to the command line; found by {@link java.util.ServiceLoader}. */
public interface CommandProvider {
    /** Objects with picocli's {@code @Command}. */
    List<Object> commands();
}
