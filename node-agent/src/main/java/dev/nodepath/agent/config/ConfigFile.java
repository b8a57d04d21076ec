package dev.nodepath.agent.config;

import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestNode;
import dev.nodepath.endpoints.source.manifests.ManifestObject;
import dev.nodepath.endpoints.source.manifests.ManifestReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A {@code KubeProxyConfiguration} as the equivalent options.
 *
 * @param arguments for the command line; fields that ask for the default have none
 * @param unused fields that hold something which has no effect here
 */
public record ConfigFile(List<String> arguments, List<String> unused) {
    static final String API_VERSION = "kubeproxy.config.k8s.io/v1alpha1";
    static final String KIND = "KubeProxyConfiguration";

    /** Copies the lists. */
    public ConfigFile {
        arguments = List.copyOf(arguments);
        unused = List.copyOf(unused);
    }

    /** The options that a file overrides on the command line. */
    public static Set<String> decided() {
        return ConfigField.ALL.stream()
                .flatMap(field -> Optional.ofNullable(field.flag()).stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Reads a file.
     *
     * @throws ManifestException if it is none, or has an unknown field or a wrong value; the message names file, line, field,
     *     value and what was expected
     */
    public static ConfigFile read(Path file) throws ManifestException {
        List<ManifestObject> objects = ManifestReader.read(file).objects();
        if (objects.size() != 1
                || !objects.get(0).apiVersion().equals(API_VERSION)
                || !objects.get(0).kind().equals(KIND)) {
            throw new ManifestException(file, objects + " (expected: one " + KIND + " of " + API_VERSION + ")");
        }
        ManifestNode root = objects.get(0).root();
        checkKnown(root, "");
        List<String> arguments = new ArrayList<>();
        List<String> unused = new ArrayList<>();
        for (ConfigField field : ConfigField.ALL) {
            ManifestNode node = find(root, field.path());
            Optional<String> value = read(field, node);
            String flag = field.flag();
            if (flag != null) {
                value.ifPresent(text -> arguments.add(flag + "=" + text));
            } else if (!field.path().equals("apiVersion") && !field.path().equals("kind")) {
                value.filter(text -> !field.isNothing(text)).ifPresent(text -> unused.add(field.path()));
            }
        }
        return new ConfigFile(arguments, unused);
    }

    private static Optional<String> read(ConfigField field, ManifestNode node) throws ManifestException {
        try {
            return field.read(node);
        } catch (ManifestException e) {
            throw withLine(node, e);
        }
    }

    private static ManifestNode find(ManifestNode root, String path) throws ManifestException {
        ManifestNode node = root;
        for (String part : path.split("\\.", -1)) {
            try {
                node = node.get(part);
            } catch (ManifestException e) {
                throw withLine(node, e);
            }
        }
        return node;
    }

    private static void checkKnown(ManifestNode node, String prefix) throws ManifestException {
        for (String name : node.fieldNames()) {
            String path = prefix + name;
            boolean leaf =
                    ConfigField.ALL.stream().anyMatch(field -> field.path().equals(path));
            boolean branch =
                    ConfigField.ALL.stream().anyMatch(field -> field.path().startsWith(path + "."));
            ManifestNode child = node.get(name);
            if (branch && !child.isAbsent()) {
                try {
                    checkKnown(child, path + ".");
                } catch (ManifestException e) {
                    throw e.reason().startsWith("line ") ? e : withLine(child, e);
                }
            } else if (!leaf && !branch) {
                throw withLine(
                        child.line() == 0 ? node : child,
                        child.problem("unknown field (expected: one of " + KIND + " " + API_VERSION + ")"));
            }
        }
    }

    private static ManifestException withLine(ManifestNode node, ManifestException problem) {
        return new ManifestException(problem.file(), "line " + node.line() + ": " + problem.reason(), problem);
    }
}
