package dev.nodepath.agent;

import java.util.List;

/** Commands that a module above this one brings to the command line; found by {@link java.util.ServiceLoader}. */
public interface CommandProvider {
    /** Objects with picocli's {@code @Command}. */
    List<Object> commands();
}
