package dev.nodepath.report;

import java.util.Map;

/**
 * The pods that answered the connections of one contender on one path, and the source addresses that they saw.
 *
 * @param contender whose connections
 * @param path from where to where, in words
 * @param pods how many connections each answered
 * @param sources how many connections came from each address, as the pods saw it
 */
public record PathAnswers(String contender, String path, Map<String, Integer> pods, Map<String, Integer> sources) {
    public PathAnswers {
        pods = OrderedMap.copyOf(pods);
        sources = OrderedMap.copyOf(sources);
    }
}
