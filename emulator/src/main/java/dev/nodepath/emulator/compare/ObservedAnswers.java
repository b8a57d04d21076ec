package dev.nodepath.emulator.compare;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The pods that answered the calls of one mode on one path, and the source addresses that they saw.
 *
 * @param mode the direct path or a mode, as {@link Mode} writes it
 * @param path from where to where, in words
 * @param answers how many new connections each pod answered
 * @param sources how many times each source address was seen by a pod
 */
record ObservedAnswers(
        String mode, String path, SortedMap<String, Integer> answers, SortedMap<String, Integer> sources) {
    ObservedAnswers {
        answers = Collections.unmodifiableSortedMap(new TreeMap<>(answers));
        sources = Collections.unmodifiableSortedMap(new TreeMap<>(sources));
    }
}
