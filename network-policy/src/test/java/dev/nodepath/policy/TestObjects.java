package dev.nodepath.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.Problems;
import dev.nodepath.policy.object.ClusterNetworkPolicyConverter;
import dev.nodepath.policy.object.LabelledNode;
import dev.nodepath.policy.object.NetworkPolicyConverter;
import dev.nodepath.policy.object.PolicyNamespaceConverter;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicyPodConverter;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A cluster of objects that are written as JSON without quotation marks around names. Every change is a new value. */
public record TestObjects(PolicySnapshot snapshot, String firstProblem) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES, JsonReadFeature.ALLOW_SINGLE_QUOTES)
            .build();

    /** The node of the pods that name none other. */
    public static final PolicyNode NODE = new PolicyNode("n1", "cni0", false, false, 0);

    /** No objects. */
    public static final TestObjects NONE = new TestObjects(PolicySnapshot.EMPTY, "");

    /** A namespace with these labels. */
    public TestObjects namespace(String name, String labels) {
        Problems problems = new Problems();
        var read = PolicyNamespaceConverter.convert(
                new NamespacedName("", name), fields("{metadata: {labels: " + labels + "}}", problems));
        return with(
                new PolicySnapshot(
                        snapshot.namespaces().plus(name, read.get(0)),
                        snapshot.pods(),
                        snapshot.policies(),
                        snapshot.clusterPolicies(),
                        snapshot.nodes()),
                problems);
    }

    /** A pod, named {@code namespace/name}. Without an address it is not there. */
    public TestObjects pod(String name, String labels, String spec, String status) {
        Problems problems = new Problems();
        var read = new PolicyPodConverter()
                .convert(
                        name(name),
                        fields(
                                "{metadata: {labels: " + labels + "}, spec: " + spec + ", status: " + status + "}",
                                problems));
        var pods = snapshot.pods().minus(name(name));
        for (PolicyPod pod : read) {
            pods = pods.plus(pod.name(), pod);
        }
        return with(
                new PolicySnapshot(
                        snapshot.namespaces(), pods, snapshot.policies(), snapshot.clusterPolicies(), snapshot.nodes()),
                problems);
    }

    /** A pod of the node {@code n1} with one address. */
    public TestObjects pod(String name, String address, String labels) {
        return pod(name, labels, "{nodeName: 'n1'}", "{podIPs: [{ip: '" + address + "'}]}");
    }

    /** A policy, named {@code namespace/name}. */
    public TestObjects policy(String name, String spec) {
        Problems problems = new Problems();
        var policies = snapshot.policies().minus(name(name));
        for (var policy : NetworkPolicyConverter.convert(name(name), fields("{spec: " + spec + "}", problems))) {
            policies = policies.plus(policy.name(), policy);
        }
        return with(
                new PolicySnapshot(
                        snapshot.namespaces(), snapshot.pods(), policies, snapshot.clusterPolicies(), snapshot.nodes()),
                problems);
    }

    /** A ClusterNetworkPolicy. */
    public TestObjects clusterPolicy(String name, String spec) {
        Problems problems = new Problems();
        NamespacedName key = new NamespacedName("", name);
        var policies = snapshot.clusterPolicies().minus(key);
        for (var policy : ClusterNetworkPolicyConverter.convert(key, fields("{spec: " + spec + "}", problems))) {
            policies = policies.plus(key, policy);
        }
        return with(
                new PolicySnapshot(
                        snapshot.namespaces(), snapshot.pods(), snapshot.policies(), policies, snapshot.nodes()),
                problems);
    }

    /** A Node. */
    public TestObjects node(String name, String labels, String... addresses) {
        Problems problems = new Problems();
        NamespacedName key = new NamespacedName("", name);
        String list = Stream.of(addresses)
                .map("{type: 'InternalIP', address: '%s'}"::formatted)
                .collect(Collectors.joining(", "));
        var read = LabelledNode.convert(
                key, fields("{metadata: {labels: " + labels + "}, status: {addresses: [" + list + "]}}", problems));
        return with(
                new PolicySnapshot(
                        snapshot.namespaces(),
                        snapshot.pods(),
                        snapshot.policies(),
                        snapshot.clusterPolicies(),
                        snapshot.nodes().plus(key, read.get(0))),
                problems);
    }

    private TestObjects with(PolicySnapshot changed, Problems problems) {
        return new TestObjects(
                changed,
                Optional.of(firstProblem).filter(first -> !first.isEmpty()).orElse(problems.first()));
    }

    /** The name of {@code namespace/name}. */
    public static NamespacedName name(String name) {
        return new NamespacedName(name.substring(0, name.indexOf('/')), name.substring(name.indexOf('/') + 1));
    }

    private static Fields fields(String json, Problems problems) {
        try {
            JsonNode object = JSON.readTree(json);
            return Fields.of(object, problems);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(json, e);
        }
    }
}
