package dev.nodepath.endpoints.source.kubernetes;

/**
 * A rule of a ClusterRole ({@code rbac.authorization.k8s.io/v1}), for messages about missing rights.
 *
 * @param group empty for the core group
 * @param resource with its subresource, such as {@code nodes/status}
 * @param verbs such as {@code list, watch}
 */
record AccessRule(String group, String resource, String verbs) {
    private static final String CORE = "/api/v1/";
    private static final String GROUPS = "/apis/";

    /**
     * The rule that a request needs.
     *
     * @param path of a collection, of an object of the cluster, or of its subresource; a query does not matter
     */
    static AccessRule of(String path, String verbs) {
        int query = path.indexOf('?');
        String plain = query < 0 ? path : path.substring(0, query);
        if (plain.startsWith(CORE)) {
            return new AccessRule("", resource(plain.substring(CORE.length())), verbs);
        }
        String[] parts = plain.substring(GROUPS.length()).split("/", 3);
        return new AccessRule(parts[0], parts.length < 3 ? "" : resource(parts[2]), verbs);
    }

    /** The rule for lists and watches, as text of an error. */
    static String toFollow(String path) {
        return "the right to list and watch it, RBAC rule " + of(path, "list, watch");
    }

    private static String resource(String rest) {
        String[] parts = rest.split("/", -1);
        if (parts[0].equals("namespaces") && parts.length > 2) {
            return parts[2];
        }
        return parts.length > 2 ? parts[0] + "/" + parts[2] : parts[0];
    }

    /** The rule in YAML, in the form of a Role. */
    @Override
    public String toString() {
        return "{apiGroups: [\"" + group + "\"], resources: [" + resource + "], verbs: [" + verbs + "]}";
    }
}
