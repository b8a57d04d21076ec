package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The environment of a Pod's containers: Services of its namespace, then {@code envFrom} and {@code env}. It has no
 * variables of this process.
 */
final class PodEnvironment {
    /** {@code $(NAME)} in a value or an argument; {@code $$(NAME)} stays as it is, without the first character. */
    private static final Pattern REFERENCE = Pattern.compile("\\$(\\$|\\(([^()]*)\\))");

    /** The PATH of a container whose image sets none, as container runtimes have it. */
    static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private static final String HOME = "/root";

    private final ClusterApi api;

    PodEnvironment(ClusterApi api) {
        this.api = api;
    }

    /** The folder of a volume's claim. */
    Path claim(ClaimFolders folders, ObjectNode pod, JsonNode volume, String name)
            throws IOException, MissingReferenceException {
        return folders.of(api, pod, volume, name);
    }

    /**
     * All variables of a container.
     *
     * @param pod with its status: variables may refer to fields of it
     * @throws MissingReferenceException if a ConfigMap or Secret, or a key of one, is absent and not optional
     */
    Map<String, String> of(ObjectNode pod, ContainerSpec container) throws MissingReferenceException {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("PATH", PATH);
        variables.put("HOSTNAME", PodFiles.hostname(pod));
        variables.put("HOME", HOME);
        String namespace = ObjectKey.of(pod).namespace();
        addServices(
                variables,
                namespace,
                pod.path("spec").path("enableServiceLinks").asBoolean(true));
        for (JsonNode source : container.json().path("envFrom")) {
            String prefix = source.path("prefix").asText("");
            data(namespace, source, "configMapRef", "secretRef")
                    .forEach((key, value) -> variables.put(prefix + key, value));
        }
        for (JsonNode variable : container.json().path("env")) {
            Optional<String> value = variable.has("valueFrom")
                    ? value(pod, container.name(), variable.path("valueFrom"))
                    : Optional.of(expand(variable.path("value").asText(""), variables));
            value.ifPresent(text -> variables.put(variable.path("name").asText(), text));
        }
        return variables;
    }

    /** A text with its {@code $(NAME)} replaced; unknown names stay. */
    static String expand(String text, Map<String, String> variables) {
        Matcher matcher = REFERENCE.matcher(text);
        StringBuilder expanded = new StringBuilder();
        while (matcher.find()) {
            String replacement =
                    matcher.group(2) == null ? "$" : variables.getOrDefault(matcher.group(2), matcher.group());
            matcher.appendReplacement(expanded, Matcher.quoteReplacement(replacement));
        }
        return matcher.appendTail(expanded).toString();
    }

    /** The decoded data of a ConfigMap or Secret; empty if it is optional and absent. */
    Map<String, byte[]> data(String namespace, Resource resource, String name, boolean optional)
            throws MissingReferenceException {
        Optional<ObjectNode> object = api.find(resource, new ObjectKey(namespace, name));
        if (object.isEmpty() && !optional) {
            throw new MissingReferenceException(
                    resource.kind().toLowerCase(Locale.ROOT) + " \"" + name + "\" not found");
        }
        Map<String, byte[]> data = new LinkedHashMap<>();
        object.ifPresent(found -> {
            boolean secret = resource.equals(Resources.SECRETS);
            found.path("data").properties().forEach(entry -> {
                String text = entry.getValue().asText();
                data.put(
                        entry.getKey(),
                        secret ? Base64.getDecoder().decode(text) : text.getBytes(StandardCharsets.UTF_8));
            });
            found.path("binaryData")
                    .properties()
                    .forEach(entry -> data.put(
                            entry.getKey(),
                            Base64.getDecoder().decode(entry.getValue().asText())));
        });
        return data;
    }

    private Map<String, String> data(String namespace, JsonNode source, String configMap, String secret)
            throws MissingReferenceException {
        boolean isSecret = source.has(secret);
        JsonNode reference = source.path(isSecret ? secret : configMap);
        Map<String, String> texts = new LinkedHashMap<>();
        data(
                        namespace,
                        isSecret ? Resources.SECRETS : Resources.CONFIG_MAPS,
                        reference.path("name").asText(),
                        reference.path("optional").asBoolean(false))
                .forEach((key, value) -> texts.put(key, new String(value, StandardCharsets.UTF_8)));
        return texts;
    }

    /** Empty for sources that this cluster ignores, such as a key of a file. */
    private Optional<String> value(ObjectNode pod, String container, JsonNode from) throws MissingReferenceException {
        if (from.has("fieldRef")) {
            return Optional.of(
                    field(pod, from.path("fieldRef").path("fieldPath").asText()));
        }
        if (from.has("resourceFieldRef")) {
            return Optional.of(resource(pod, from.path("resourceFieldRef"), container));
        }
        String kind = from.has("secretKeyRef") ? "secretKeyRef" : "configMapKeyRef";
        if (!from.has(kind)) {
            return Optional.empty();
        }
        JsonNode reference = from.path(kind);
        Map<String, String> data = data(ObjectKey.of(pod).namespace(), from, "configMapKeyRef", "secretKeyRef");
        String key = reference.path("key").asText();
        if (!data.containsKey(key) && !reference.path("optional").asBoolean(false)) {
            throw new MissingReferenceException("couldn't find key " + key + " in "
                    + (kind.equals("secretKeyRef") ? "Secret " : "ConfigMap ")
                    + ObjectKey.of(pod).namespace() + "/"
                    + reference.path("name").asText());
        }
        return Optional.ofNullable(data.get(key));
    }

    /** A resource of one of the Pod's containers as a number (downward API). */
    String resource(ObjectNode pod, JsonNode reference, String container) {
        JsonNode node = api.find(
                        Resources.NODES,
                        new ObjectKey("", pod.path("spec").path("nodeName").asText("")))
                .map(JsonNode.class::cast)
                .orElse(MissingNode.getInstance());
        return ResourceField.value(pod, reference, container, node);
    }

    /** A field of the Pod by its path (downward API). */
    static String field(ObjectNode pod, String path) {
        JsonNode whole = pod.at("/" + path.replace('.', '/'));
        switch (path) {
            case "status.podIPs", "status.hostIPs" -> {
                return String.join(",", whole.findValuesAsText("ip"));
            }
            case "metadata.labels", "metadata.annotations" -> {
                return lines(whole);
            }
            default -> {}
        }
        Matcher keyed =
                Pattern.compile("metadata\\.(labels|annotations)\\['(.*)'\\]").matcher(path);
        if (keyed.matches()) {
            return pod.path("metadata")
                    .path(keyed.group(1))
                    .path(keyed.group(2))
                    .asText("");
        }
        return whole.asText("");
    }

    /** {@code key="value"}, a line each, sorted. */
    private static String lines(JsonNode map) {
        List<String> lines = new ArrayList<>();
        map.properties()
                .forEach(each -> lines.add(
                        each.getKey() + "=" + TextNode.valueOf(each.getValue().asText())));
        Collections.sort(lines);
        return String.join("\n", lines);
    }

    /** Adds the variables of Services with a cluster IP: of all in a namespace, or of the API server's alone. */
    private void addServices(Map<String, String> variables, String namespace, boolean all) {
        if (all) {
            api.list(Resources.SERVICES, namespace).objects().forEach(service -> addService(variables, service));
        }
        api.find(Resources.SERVICES, new ObjectKey("default", "kubernetes"))
                .ifPresent(service -> addService(variables, service));
    }

    /** Kubernetes' own variables of a Service, and those that Docker made for a link. */
    private static void addService(Map<String, String> variables, ObjectNode service) {
        String ip = service.path("spec").path("clusterIP").asText("");
        JsonNode ports = service.path("spec").path("ports");
        if (ip.isEmpty() || ip.equals("None") || ports.isEmpty()) {
            return;
        }
        String prefix = variable(ObjectKey.of(service).name());
        variables.put(prefix + "_SERVICE_HOST", ip);
        variables.put(prefix + "_SERVICE_PORT", ports.get(0).path("port").asText());
        for (JsonNode port : ports) {
            if (port.has("name")) {
                variables.put(
                        prefix + "_SERVICE_PORT_" + variable(port.path("name").asText()),
                        port.path("port").asText());
            }
        }
        // The first port is the Service's.
        variables.put(prefix + "_PORT", url(ip, ports.get(0)));
        for (JsonNode port : ports) {
            String link = prefix + "_PORT_" + port.path("port").asText() + "_" + variable(protocol(port));
            variables.put(link, url(ip, port));
            variables.put(link + "_PROTO", protocol(port));
            variables.put(link + "_PORT", port.path("port").asText());
            variables.put(link + "_ADDR", ip);
        }
    }

    private static String url(String ip, JsonNode port) {
        String host = ip.contains(":") ? "[" + ip + "]" : ip;
        return protocol(port) + "://" + host + ":" + port.path("port").asText();
    }

    private static String protocol(JsonNode port) {
        return port.path("protocol").asText("TCP").toLowerCase(Locale.ROOT);
    }

    private static String variable(String name) {
        return name.toUpperCase(Locale.ROOT).replace('-', '_');
    }
}
