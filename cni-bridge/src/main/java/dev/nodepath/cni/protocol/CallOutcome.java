package dev.nodepath.cni.protocol;

/**
 * The outcome of one call.
 *
 * @param exitCode 0, or 1 with an error object on standard output
 * @param stdout one JSON object and a line end, or nothing
 * @param stderr text for people. Runtimes do not read it.
 */
public record CallOutcome(int exitCode, String stdout, String stderr) {

    /** A call that succeeded: exit code 0, and the result on standard output. */
    public static CallOutcome succeeded(String stdout, String stderr) {
        return new CallOutcome(0, stdout.isEmpty() ? "" : stdout + "\n", stderr);
    }

    /** A call that failed: exit code 1, and the error object of this CNI version on standard output. */
    public static CallOutcome failed(CniException problem, CniVersion version, String stderr) {
        return new CallOutcome(1, errorObject(problem, version) + "\n", stderr);
    }

    private static String errorObject(CniException problem, CniVersion version) {
        return JsonText.object(json -> {
            json.writeStringField("cniVersion", version.toString());
            json.writeNumberField("code", problem.code());
            json.writeStringField("msg", problem.text());
            if (!problem.details().isEmpty()) {
                json.writeStringField("details", problem.details());
            }
        });
    }
}
