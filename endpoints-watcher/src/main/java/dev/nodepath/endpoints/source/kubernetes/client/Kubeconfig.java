package dev.nodepath.endpoints.source.kubernetes.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.endpoints.source.SourceException;
import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.Context;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A checked kubeconfig file. The client ignores wrong entries and falls back to a default server. Here everything that
 * the current context names must exist.
 *
 * @param server the URL of the context's cluster
 * @param config the client's view of it, with the credentials
 */
record Kubeconfig(String server, Config config) {
    /** The largest file: enough for embedded certificates of hundreds of clusters. */
    static final long MAX_BYTES = 10L << 20;

    /**
     * Reads the file, and the files that it names.
     *
     * @throws SourceException with the file, the field, its value and what was expected
     */
    static Kubeconfig read(Path file) throws SourceException {
        io.fabric8.kubernetes.api.model.Config parsed = parse(file);
        String name = text(parsed.getCurrentContext());
        Context context = find(file, "current-context", name, list(parsed.getContexts()), NamedContext::getName)
                .getContext();
        String at = "contexts[" + name + "].context";
        if (context == null) {
            throw problem(file, at, "missing (expected: cluster and user)");
        }
        String clusterName = text(context.getCluster());
        Cluster cluster = find(file, at + ".cluster", clusterName, list(parsed.getClusters()), NamedCluster::getName)
                .getCluster();
        String clusterAt = "clusters[" + clusterName + "].cluster";
        if (cluster == null) {
            throw problem(file, clusterAt, "missing (expected: server)");
        }
        String server = ApiServerAccess.url(at(file, clusterAt + ".server"), text(cluster.getServer()));
        checkFile(file, clusterAt + ".certificate-authority", cluster.getCertificateAuthority());
        Optional<FileToken> token = Optional.empty();
        // A context without a user is allowed: its requests are anonymous.
        if (!text(context.getUser()).isEmpty()) {
            token = credentials(file, at, context, parsed);
        }
        Config config = config(file);
        checkPlugin(file, text(context.getUser()), parsed, config);
        token.ifPresent(config::setOauthTokenProvider);
        return new Kubeconfig(server, config);
    }

    private static io.fabric8.kubernetes.api.model.Config parse(Path file) throws SourceException {
        try {
            if (!Files.isRegularFile(file)) {
                throw new SourceException("kubeconfig " + file + ": "
                        + (Files.exists(file) ? "not a file" : "not found") + " (expected: a kubeconfig file)");
            }
            if (Files.size(file) > MAX_BYTES) {
                throw new SourceException("kubeconfig " + file + ": longer than " + MAX_BYTES + " bytes");
            }
            checkStyle(file);
            io.fabric8.kubernetes.api.model.Config parsed = KubeConfigUtils.parseConfig(file.toFile());
            if (parsed == null) {
                throw new SourceException("kubeconfig " + file + ": empty (expected: a kubeconfig file)");
            }
            return parsed;
        } catch (IOException e) {
            throw new SourceException("kubeconfig " + file + ": " + ApiServerAccess.reason(e), e);
        } catch (RuntimeException e) {
            // The client's exceptions, and any exception of its parser.
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new SourceException(
                    "kubeconfig " + file + ": " + ApiClient.explain(cause) + " (expected: a kubeconfig file)", e);
        }
    }

    private static Optional<FileToken> credentials(
            Path file, String at, Context context, io.fabric8.kubernetes.api.model.Config parsed)
            throws SourceException {
        String name = text(context.getUser());
        AuthInfo user = find(file, at + ".user", name, list(parsed.getUsers()), NamedAuthInfo::getName)
                .getUser();
        if (user == null) {
            return Optional.empty();
        }
        String userAt = "users[" + name + "].user";
        checkFile(file, userAt + ".client-certificate", user.getClientCertificate());
        checkFile(file, userAt + ".client-key", user.getClientKey());
        String tokenFile = text(user.getTokenFile());
        // The client ignores tokenFile. It wins over token, as in client-go.
        return tokenFile.isEmpty()
                ? Optional.empty()
                : Optional.of(new FileToken(at(file, userAt + ".tokenFile"), file.resolveSibling(tokenFile)));
    }

    private static Config config(Path file) throws SourceException {
        try {
            return Config.fromKubeconfig(file.toFile());
        } catch (RuntimeException e) {
            // Most often an exec plugin that cannot run.
            throw new SourceException("kubeconfig " + file + ": " + ApiClient.explain(e), e);
        }
    }

    /** Rejects YAML in flow style. The client would parse it as JSON, with an unclear error. */
    private static void checkStyle(Path file) throws IOException, SourceException {
        String text = Files.readString(file);
        if (text.stripLeading().startsWith("{")) {
            try {
                new ObjectMapper().readTree(text);
            } catch (JsonProcessingException e) {
                throw new SourceException(
                        "kubeconfig " + file + ": line " + e.getLocation().getLineNr()
                                + ": begins with { and is not JSON (expected: JSON, or YAML that does not begin with {)",
                        e);
            }
        }
    }

    /** Checks that a plugin gave credentials. The client goes on without them if a plugin fails. */
    private static void checkPlugin(
            Path file, String name, io.fabric8.kubernetes.api.model.Config parsed, Config config)
            throws SourceException {
        for (NamedAuthInfo named : list(parsed.getUsers())) {
            AuthInfo user = named.getUser();
            if (name.equals(named.getName())
                    && user != null
                    && user.getExec() != null
                    && text(config.getAutoOAuthToken()).isEmpty()
                    && text(config.getClientCertData()).isEmpty()) {
                throw problem(
                        file,
                        "users[" + name + "].user.exec.command",
                        text(user.getExec().getCommand())
                                + " gave no credentials (expected: a plugin that prints an ExecCredential of "
                                + text(user.getExec().getApiVersion()) + ")");
            }
        }
    }

    private static <T> T find(Path file, String field, String name, List<T> of, Function<T, @Nullable String> names)
            throws SourceException {
        for (T one : of) {
            if (!name.isEmpty() && name.equals(names.apply(one))) {
                return one;
            }
        }
        String known =
                String.join(", ", of.stream().map(one -> text(names.apply(one))).toList());
        throw problem(
                file,
                field,
                (name.isEmpty() ? "missing" : "\"" + name + "\"") + " (expected: "
                        + (known.isEmpty() ? "a name that the file defines; it defines none" : "one of " + known)
                        + ")");
    }

    private static void checkFile(Path file, String field, @Nullable String named) throws SourceException {
        if (!text(named).isEmpty() && !Files.isReadable(file.resolveSibling(text(named)))) {
            throw problem(file, field, named + ": not readable (expected: a file)");
        }
    }

    private static SourceException problem(Path file, String field, String problem) {
        return new SourceException(at(file, field) + ": " + problem);
    }

    private static String at(Path file, String field) {
        return "kubeconfig " + file + ": " + field;
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static <T> List<T> list(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }
}
