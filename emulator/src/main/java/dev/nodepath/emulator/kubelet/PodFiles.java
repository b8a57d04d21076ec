package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The own files of a Pod: {@code /etc/hosts}, {@code /etc/hostname} and {@code /etc/resolv.conf} (Kubernetes DNS
 * specification 1.1.0 and the kubelet's {@code ClusterFirst}).
 */
final class PodFiles {
    private static final String DOMAIN = "cluster.local";
    private static final Path HOST_RESOLVER = Path.of("/etc/resolv.conf");

    /** The limits of the containers' writes into them. Extended attributes count as inodes. */
    private static final String LIMITS = "mode=755,size=4m,nr_inodes=16";

    private final Path folder;

    /** The files of a Pod below a folder of its own. */
    PodFiles(Path folder) {
        this.folder = folder;
    }

    Path hosts() {
        return folder.resolve("hosts");
    }

    Path hostname() {
        return folder.resolve("hostname");
    }

    Path resolver() {
        return folder.resolve("resolv.conf");
    }

    /**
     * Writes the three files.
     *
     * @param addresses of the Pod
     * @param nameserver the cluster's DNS Service; empty if it has none
     */
    void write(ObjectNode pod, List<String> addresses, Optional<String> nameserver) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(hostname(), hostname(pod) + "\n");
        Files.write(hosts(), hosts(pod, addresses));
        Files.write(resolver(), resolver(pod, nameserver));
    }

    /**
     * Moves them to a file system in memory with a limit of its own, as containers write to them. Existing ones stay
     * as they are. Call it only in an enclosure: it mounts the file system.
     */
    void limit() throws IOException {
        Map<Path, byte[]> contents = new HashMap<>();
        for (Path file : List.of(hosts(), hostname(), resolver())) {
            if (Files.exists(file)) {
                contents.put(file, Files.readAllBytes(file));
            }
        }
        MemoryFolder.make(folder, LIMITS);
        for (Map.Entry<Path, byte[]> content : contents.entrySet()) {
            Files.write(content.getKey(), content.getValue());
        }
    }

    /**
     * The name in the kernel: the node's with {@code hostNetwork}, the full one with {@code setHostnameAsFQDN}, else
     * the Pod's.
     */
    static String hostname(ObjectNode pod) {
        JsonNode spec = pod.path("spec");
        if (spec.path("hostNetwork").asBoolean(false)) {
            return spec.path("nodeName").asText();
        }
        return spec.path("setHostnameAsFQDN").asBoolean(false) ? fullName(pod).orElse(shortName(pod)) : shortName(pod);
    }

    /** Its name in DNS; a Pod without a subdomain has none. */
    private static Optional<String> fullName(ObjectNode pod) {
        String subdomain = pod.path("spec").path("subdomain").asText("");
        return subdomain.isEmpty()
                ? Optional.empty()
                : Optional.of(shortName(pod) + "." + subdomain + "."
                        + ObjectKey.of(pod).namespace() + ".svc." + DOMAIN);
    }

    /** {@code spec.hostname}, else the Pod's name, at most 63 characters. */
    private static String shortName(ObjectNode pod) {
        String name = pod.path("spec").path("hostname").asText(ObjectKey.of(pod).name());
        return name.length() > 63 ? name.substring(0, 63).replaceAll("[-.]+$", "") : name;
    }

    private static List<String> hosts(ObjectNode pod, List<String> addresses) {
        List<String> lines = new ArrayList<>(List.of("127.0.0.1\tlocalhost", "::1\tlocalhost ip6-localhost"));
        String name = shortName(pod);
        String names = fullName(pod).map(full -> full + "\t" + name).orElse(name);
        addresses.forEach(address -> lines.add(address + "\t" + names));
        for (JsonNode alias : pod.path("spec").path("hostAliases")) {
            lines.add(alias.path("ip").asText() + "\t" + String.join("\t", ProbeSpec.texts(alias.path("hostnames"))));
        }
        return lines;
    }

    private static List<String> resolver(ObjectNode pod, Optional<String> nameserver) throws IOException {
        JsonNode spec = pod.path("spec");
        Set<String> servers = new LinkedHashSet<>();
        Set<String> searches = new LinkedHashSet<>();
        Set<String> options = new LinkedHashSet<>();
        String policy = spec.path("dnsPolicy").asText("ClusterFirst");
        boolean onHost = spec.path("hostNetwork").asBoolean(false) && policy.equals("ClusterFirst");
        if (nameserver.isPresent() && policy.startsWith("ClusterFirst") && !onHost) {
            servers.add(nameserver.get());
            String services = "svc." + DOMAIN;
            searches.addAll(List.of(ObjectKey.of(pod).namespace() + "." + services, services, DOMAIN));
            options.add("ndots:5");
        } else if (!policy.equals("None")) {
            readHost(servers, searches, options);
        }
        JsonNode more = spec.path("dnsConfig");
        servers.addAll(ProbeSpec.texts(more.path("nameservers")));
        searches.addAll(ProbeSpec.texts(more.path("searches")));
        for (JsonNode option : more.path("options")) {
            String name = option.path("name").asText();
            options.removeIf(each -> each.equals(name) || each.startsWith(name + ":"));
            options.add(option.has("value") ? name + ":" + option.path("value").asText() : name);
        }
        List<String> lines = new ArrayList<>();
        servers.forEach(server -> lines.add("nameserver " + server));
        if (!searches.isEmpty()) {
            lines.add("search " + String.join(" ", searches));
        }
        if (!options.isEmpty()) {
            lines.add("options " + String.join(" ", options));
        }
        return lines;
    }

    private static void readHost(Set<String> servers, Set<String> searches, Set<String> options) throws IOException {
        for (String line : Files.exists(HOST_RESOLVER) ? Files.readAllLines(HOST_RESOLVER) : List.<String>of()) {
            List<String> words = List.of(line.strip().split("\\s+"));
            List<String> values = words.subList(1, words.size());
            switch (words.get(0)) {
                case "nameserver" -> servers.addAll(values);
                case "search" -> searches.addAll(values);
                case "options" -> options.addAll(values);
                default -> {}
            }
        }
    }
}
