package dev.nodepath.agent.options;

import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.ManifestException;
import dev.nodepath.endpoints.source.ManifestObject;
import dev.nodepath.endpoints.source.ManifestReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A {@code KubeProxyConfiguration} as the equivalent options.
 *
 * @param arguments for the command line; fields that ask for the default have none
 * @param unused fields with a value that has no effect here
 * @param unknown fields that the format does not have, and fields that occur twice, in words; they do not count,
 *     except the last one of a duplicate
 */
public record ConfigFile(List<String> arguments, List<String> unused, List<String> unknown) {
    static final String API_VERSION = "kubeproxy.config.k8s.io/v1alpha1";
    static final String KIND = "KubeProxyConfiguration";

    public ConfigFile {
        arguments = List.copyOf(arguments);
        unused = List.copyOf(unused);
        unknown = List.copyOf(unknown);
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
     * @param modeOption the proxy mode that overrides the file's
     * @throws ManifestException if it is no such file, or has a wrong value; the message names file, line, field,
     *     value and what was expected
     */
    public static ConfigFile read(Path file, Optional<String> modeOption) throws ManifestException {
        List<String> unknown = new ArrayList<>();
        List<ManifestObject> objects = ManifestReader.objects(file, unknown::add);
        if (objects.size() != 1
                || !objects.get(0).apiVersion().equals(API_VERSION)
                || !objects.get(0).kind().equals(KIND)) {
            throw new ManifestException(file, objects + " (expected: one " + KIND + " of " + API_VERSION + ")");
        }
        ManifestObject object = objects.get(0);
        return object.read(root -> {
            addUnknown(root, "", path -> unknown.add("line " + object.line(path) + ": " + path));
            return read(root, modeOption, unknown);
        });
    }

    private static ConfigFile read(Fields root, Optional<String> modeOption, List<String> unknown) {
        String mode = modeOption.orElse(root.text("mode"));
        List<String> arguments = new ArrayList<>();
        List<String> unused = new ArrayList<>();
        for (ConfigField field : ConfigField.ALL) {
            Optional<String> value = field.read(root);
            String flag = field.flag();
            if (flag != null && field.decidesIn(mode)) {
                value.ifPresent(text -> arguments.add(flag + "=" + text));
            } else if (!field.path().equals("apiVersion") && !field.path().equals("kind")) {
                value.filter(text -> !field.isNothing(text)).ifPresent(text -> unused.add(field.path()));
            }
        }
        return new ConfigFile(arguments, unused, unknown);
    }

    private static void addUnknown(Fields parent, String prefix, Consumer<String> unknown) {
        for (String name : parent.names()) {
            String path = prefix + name;
            if (ConfigField.ALL.stream().anyMatch(field -> field.path().startsWith(path + "."))) {
                addUnknown(parent.object(name), path + ".", unknown);
            } else if (ConfigField.ALL.stream().noneMatch(field -> field.path().equals(path))) {
                unknown.accept(path);
            }
        }
    }
}
