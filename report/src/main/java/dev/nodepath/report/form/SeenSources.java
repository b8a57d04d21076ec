package dev.nodepath.report.form;

import dev.nodepath.report.ClusterMap;
import dev.nodepath.report.PathAnswers;
import dev.nodepath.report.SuiteResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The addresses that the backends saw. The sender's own addresses are those that backends saw on the direct path,
 * without a Service.
 */
final class SeenSources {
    static final String DIRECT = "direct";

    private final List<PathAnswers> answers;
    private final Optional<ClusterMap> cluster;
    private final Map<String, Set<String>> own = new LinkedHashMap<>();

    SeenSources(SuiteResult suite) {
        this(suite.answers().orElse(List.of()), suite.cluster());
    }

    SeenSources(List<PathAnswers> answers, Optional<ClusterMap> cluster) {
        this.answers = answers;
        this.cluster = cluster;
        answers.stream()
                .filter(each -> each.contender().equals(DIRECT))
                .forEach(each -> own.put(each.path(), each.sources().keySet()));
    }

    boolean isEmpty() {
        return answers.isEmpty();
    }

    /** The direct path and the modes. */
    Set<String> contenders() {
        return answers.stream().map(PathAnswers::contender).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    Map<String, List<PathAnswers>> byPath() {
        return answers.stream()
                .collect(Collectors.groupingBy(PathAnswers::path, LinkedHashMap::new, Collectors.toList()));
    }

    /** A sentence with the paths on which a mode keeps the sender's address. */
    String sentence(String mode) {
        List<String> kept = new ArrayList<>();
        List<String> changed = new ArrayList<>();
        for (PathAnswers each : answers) {
            if (each.contender().equals(mode) && own.containsKey(each.path())) {
                (keeps(each) ? kept : changed).add("“" + each.path() + "”");
            }
        }
        if (changed.isEmpty()) {
            return "shows backends the sender's own address on every path.";
        }
        if (kept.isEmpty()) {
            return "hides the sender's address on every path.";
        }
        return kept.size() < changed.size()
                ? "hides the sender's address, except on " + String.join(" and ", kept) + "."
                : "shows backends the sender's own address, except on " + String.join(" and ", changed) + ".";
    }

    /**
     * The number of paths on which a mode keeps the sender's address, among those also measured without a Service.
     */
    long kept(String mode) {
        return known(mode).filter(this::keeps).count();
    }

    /** The number of a mode's paths that were also measured without a Service. */
    long paths(String mode) {
        return known(mode).count();
    }

    private Stream<PathAnswers> known(String mode) {
        return answers.stream().filter(each -> each.contender().equals(mode) && own.containsKey(each.path()));
    }

    /** Whether backends saw the sender's own address. */
    boolean keeps(PathAnswers each) {
        return own.getOrDefault(each.path(), Set.of())
                .containsAll(each.sources().keySet());
    }

    /** The senders as the backends saw them: names if the cluster is known, else addresses. */
    String names(PathAnswers each) {
        return each.sources().keySet().stream()
                .map(address -> cluster.flatMap(map -> map.nameOf(address)).orElse(address))
                .collect(Collectors.joining(", "));
    }

    /** A sentence if all pods answered on all paths; else empty. */
    String everybodyAnswered() {
        List<Set<String>> pods =
                answers.stream().map(each -> each.pods().keySet()).distinct().toList();
        return pods.size() == 1
                ? "On every path and in every mode, each of " + String.join(", ", pods.get(0)) + " answered."
                : "";
    }
}
