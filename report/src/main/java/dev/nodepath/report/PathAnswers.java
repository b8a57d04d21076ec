package dev.nodepath.report;

import java.util.Map;

/**
 * The pods that answered the connections of one contender on one path, and the source addresses that they saw.
 *
 * @param contender whose connections
 * @param path from where to where, in words
 * @param pods the number of connections that each pod answered
 * @param sources the number of connections from each source address that pods saw
 */
public record PathAnswers(String contender, String path, Map<String, Integer> pods, Map<String, Integer> sources) {
    public PathAnswers {
        pods = OrderedMap.copyOf(pods);
        sources = OrderedMap.copyOf(sources);
    }
}
