package dev.nodepath.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The result of one suite.
 *
 * @param name of the suite
 * @param verdict in a sentence or two
 * @param figures in the order they are shown
 * @param curves in the order they are shown
 * @param checks the expectations apart from the targets of figures
 * @param notes facts for the reader: why a peer was not measured, the meaning of a figure
 * @param versions of the contenders' software, by name
 * @param howToRun the command that runs this suite again
 * @param answers the answering pods and the sources that they saw; empty in suites without them, absent in older
 *     reports
 * @param cluster the measured cluster, for a picture; empty in suites without one, absent in older reports
 * @param partial whether it was interrupted or failed, so that results are missing
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record SuiteResult(
        String name,
        String verdict,
        List<Figure> figures,
        List<Curve> curves,
        List<Check> checks,
        List<String> notes,
        Map<String, String> versions,
        String howToRun,
        Optional<List<PathAnswers>> answers,
        Optional<ClusterMap> cluster,
        boolean partial) {

    public SuiteResult {
        figures = List.copyOf(figures);
        curves = List.copyOf(curves);
        checks = List.copyOf(checks);
        notes = List.copyOf(notes);
        versions = OrderedMap.copyOf(versions);
        answers = answers.map(List::copyOf);
    }

    /** A suite without answering pods and cluster. */
    public SuiteResult(
            String name,
            String verdict,
            List<Figure> figures,
            List<Curve> curves,
            List<Check> checks,
            List<String> notes,
            Map<String, String> versions,
            String howToRun,
            boolean partial) {
        this(
                name,
                verdict,
                figures,
                curves,
                checks,
                notes,
                versions,
                howToRun,
                Optional.empty(),
                Optional.empty(),
                partial);
    }

    /** A suite without results: it was interrupted before its first round ended, or failed. */
    public static SuiteResult nothing(String name, String why, String howToRun) {
        return new SuiteResult(name, why, List.of(), List.of(), List.of(), List.of(), Map.of(), howToRun, true);
    }

    /** A copy that is marked as incomplete, with the reason. */
    public SuiteResult incomplete(String why) {
        return new SuiteResult(
                name,
                (why + " " + verdict).strip(),
                figures,
                curves,
                checks,
                notes,
                versions,
                howToRun,
                answers,
                cluster,
                true);
    }

    /** Whether nothing is missing, every target is reached and every check is met. */
    public boolean passed() {
        return !partial
                && figures.stream().allMatch(Figure::passed)
                && checks.stream().allMatch(Check::met);
    }
}
