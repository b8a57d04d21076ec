package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.nodepath.emulator.topology.PodSpec;
import dev.nodepath.emulator.topology.ServiceSpec;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Makes the EndpointSlices of a Service from its selector and the pods, as Kubernetes' endpointslice controller does.
 * Pods with different numbers for a named target port are in separate slices.
 */
final class EndpointSlices {
    private static final JsonFactory JSON = new JsonFactory();

    private EndpointSlices() {}

    /**
     * The slices of these Services as one JSON List.
     *
     * @param triggers when the endpoints of each Service changed ({@code last-change-trigger-time})
     */
    static String render(Map<ServiceSpec, Instant> triggers, Collection<PodStatus> pods) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("apiVersion", "v1");
            json.writeStringField("kind", "List");
            json.writeArrayFieldStart("items");
            for (Map.Entry<ServiceSpec, Instant> service : triggers.entrySet()) {
                for (IpAddress clusterIp : service.getKey().clusterIps()) {
                    write(json, service.getKey(), clusterIp.family(), pods, service.getValue());
                }
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a string writer failed", e);
        }
        return text.toString();
    }

    private static void write(
            JsonGenerator json, ServiceSpec service, IpFamily family, Collection<PodStatus> pods, Instant trigger)
            throws IOException {
        Map<List<SlicePort>, List<PodStatus>> byPorts = new LinkedHashMap<>();
        pods.stream()
                .filter(pod -> pod.spec().isSelectedBy(service))
                .filter(pod -> pod.address(family).isPresent())
                .sorted(Comparator.comparing(pod -> pod.spec().name()))
                .forEach(pod -> byPorts.computeIfAbsent(ports(service, pod.spec()), ports -> new ArrayList<>())
                        .add(pod));
        if (byPorts.isEmpty()) {
            byPorts.put(List.of(), List.of());
        }
        int number = 0;
        for (Map.Entry<List<SlicePort>, List<PodStatus>> slice : byPorts.entrySet()) {
            write(json, service, family, number++, slice.getKey(), slice.getValue(), trigger);
        }
    }

    private record SlicePort(String name, String protocol, int port) {}

    private static List<SlicePort> ports(ServiceSpec service, PodSpec pod) {
        List<SlicePort> ports = new ArrayList<>();
        for (ServiceSpec.Port port : service.ports()) {
            targetPort(port.targetPort(), pod)
                    .ifPresent(number ->
                            ports.add(new SlicePort(port.name(), port.protocol().name(), number)));
        }
        return ports;
    }

    /** The pod's port of this name or number. As in Kubernetes, a pod without a port of this name is no endpoint. */
    private static OptionalInt targetPort(String target, PodSpec pod) {
        if (target.chars().allMatch(Character::isDigit)) {
            return OptionalInt.of(Integer.parseInt(target));
        }
        Integer named = pod.ports().get(target);
        return named == null ? OptionalInt.empty() : OptionalInt.of(named);
    }

    private static void write(
            JsonGenerator json,
            ServiceSpec service,
            IpFamily family,
            int number,
            List<SlicePort> ports,
            List<PodStatus> pods,
            Instant trigger)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("apiVersion", "discovery.k8s.io/v1");
        json.writeStringField("kind", "EndpointSlice");
        json.writeStringField("addressType", family.toString());
        json.writeObjectFieldStart("metadata");
        json.writeStringField("name", service.name().name() + (family == IpFamily.IPV6 ? "-ipv6-" : "-") + number);
        json.writeStringField("namespace", service.name().namespace());
        json.writeObjectFieldStart("labels");
        json.writeStringField("kubernetes.io/service-name", service.name().name());
        json.writeStringField("endpointslice.kubernetes.io/managed-by", "nodepath-emulator");
        json.writeEndObject();
        json.writeObjectFieldStart("annotations");
        json.writeStringField("endpoints.kubernetes.io/last-change-trigger-time", trigger.toString());
        json.writeEndObject();
        json.writeEndObject();
        json.writeArrayFieldStart("ports");
        for (SlicePort port : ports) {
            json.writeStartObject();
            json.writeStringField("name", port.name());
            json.writeStringField("protocol", port.protocol());
            json.writeNumberField("port", port.port());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("endpoints");
        for (PodStatus pod : pods) {
            write(json, pod, pod.address(family).orElseThrow());
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, PodStatus pod, IpAddress address) throws IOException {
        json.writeStartObject();
        json.writeArrayFieldStart("addresses");
        json.writeString(address.toString());
        json.writeEndArray();
        json.writeObjectFieldStart("conditions");
        json.writeBooleanField("ready", pod.ready());
        json.writeBooleanField("serving", pod.serving());
        json.writeBooleanField("terminating", pod.terminating());
        json.writeEndObject();
        json.writeStringField("nodeName", pod.spec().node());
        json.writeObjectFieldStart("targetRef");
        json.writeStringField("kind", "Pod");
        json.writeStringField("namespace", pod.spec().name().namespace());
        json.writeStringField("name", pod.spec().name().name());
        json.writeEndObject();
        json.writeEndObject();
    }
}
