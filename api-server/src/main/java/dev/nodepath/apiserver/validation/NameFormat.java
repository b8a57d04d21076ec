package dev.nodepath.apiserver.validation;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Forms of names, with Kubernetes' messages about a name of another form (apimachinery {@code util/validation}). */
enum NameFormat {
    /** A label of RFC 1123. */
    LABEL(
            63,
            "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end"
                    + " with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"),
    /** A subdomain of RFC 1123. */
    SUBDOMAIN(
            253,
            "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
                    + " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"),
    /** A part of a URL's path: the names of roles, their bindings and certificate requests, as {@code system:node}. */
    PATH_SEGMENT(Integer.MAX_VALUE, ".*", "") {
        @Override
        List<String> problems(String name) {
            if (name.equals(".") || name.equals("..")) {
                return List.of("may not be '" + name + "'");
            }
            return Stream.of("/", "%")
                    .filter(name::contains)
                    .map(each -> "may not contain '" + each + "'")
                    .toList();
        }
    },
    /** The value of a label of an object. */
    LABEL_VALUE(
            63,
            "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start"
                    + " and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used"
                    + " for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"),
    /** A key of a ConfigMap or a Secret. */
    CONFIG_KEY(
            253,
            "[-._a-zA-Z0-9]+",
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or"
                    + " 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"),
    /** The name of an environment variable. */
    ENVIRONMENT(
            Integer.MAX_VALUE,
            "[ -<>-~]+",
            "a valid environment variable name must consist only of printable ASCII characters other than '='"),
    /** The name of an HTTP header. */
    HTTP_HEADER(
            Integer.MAX_VALUE,
            "[-A-Za-z0-9]+",
            "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for"
                    + " validation is '[-A-Za-z0-9]+')");

    private static final Pattern QUALIFIED = Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
    private static final String QUALIFIED_RULE =
            "must consist of alphanumeric characters, '-', '_' or '.', and must start"
                    + " and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for"
                    + " validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    private static final int PORT_NAME_MAX = 15;

    /**
     * The pattern is not applied to a longer name, which is too long anyway: its groups would take all of the stack.
     */
    private static final int MATCHED_MAX = 4096;

    private final int max;
    private final Pattern pattern;
    private final String rule;

    NameFormat(int max, String pattern, String rule) {
        this.max = max;
        this.pattern = Pattern.compile(pattern);
        this.rule = rule;
    }

    /** The faults of a name; none if it has this form. */
    List<String> problems(String name) {
        List<String> problems = new ArrayList<>();
        if (name.length() > max) {
            problems.add("must be no more than " + max + " bytes");
        }
        if (name.length() > Math.max(max, MATCHED_MAX) || !pattern.matcher(name).matches()) {
            problems.add(rule);
        }
        return problems;
    }

    /** Complains about a field of another form. */
    void check(ObjectField field) {
        problems(field.text()).forEach(why -> field.invalid(field.text(), why));
    }

    /** Complains about a non-empty field of another form. */
    void checkIfSet(ObjectField field) {
        if (field.isSet()) {
            check(field);
        }
    }

    /** The faults of a name with an optional prefix, such as {@code example.com/name}. */
    static List<String> qualifiedProblems(String text) {
        List<String> parts = List.of(text.split("/", -1));
        if (parts.size() > 2) {
            return List.of("a qualified name " + QUALIFIED_RULE
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        }
        List<String> problems = new ArrayList<>();
        if (parts.size() == 2) {
            if (parts.get(0).isEmpty()) {
                problems.add("prefix part must be non-empty");
            } else {
                SUBDOMAIN.problems(parts.get(0)).forEach(each -> problems.add("prefix part " + each));
            }
        }
        String name = parts.get(parts.size() - 1);
        if (name.isEmpty()) {
            problems.add("name part must be non-empty");
        } else if (name.length() > LABEL.max) {
            problems.add("name part must be no more than " + LABEL.max + " bytes");
        }
        if (!QUALIFIED.matcher(name).matches()) {
            problems.add("name part " + QUALIFIED_RULE);
        }
        return problems;
    }

    /** The faults of a port's name (IANA service name). */
    static List<String> portNameProblems(String name) {
        List<String> problems = new ArrayList<>();
        if (name.length() > PORT_NAME_MAX) {
            problems.add("must be no more than " + PORT_NAME_MAX + " characters");
        }
        if (!name.matches("[-a-z0-9]+")) {
            problems.add("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
        }
        if (name.chars().noneMatch(each -> each >= 'a' && each <= 'z')) {
            problems.add("must contain at least one letter (a-z)");
        }
        if (name.contains("--")) {
            problems.add("must not contain consecutive hyphens");
        }
        if (name.startsWith("-") || name.endsWith("-")) {
            problems.add("must not begin or end with a hyphen");
        }
        return problems;
    }
}
