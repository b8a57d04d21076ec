package dev.nodepath.bench.watcher;

import dev.nodepath.endpoints.source.kubernetes.TestApiServer;

/** Objects of a cluster as an API server has them: Services of one slice each, in the size that a real one has. */
final class WatchedCluster {
    private static final int NODES = 500;

    private WatchedCluster() {}

    /** Gives a server its Services, slices and one Node. */
    static void fill(TestApiServer server, int services, int endpoints) {
        server.put(TestApiServer.NODES, "{\"metadata\":{\"name\":\"node-0\"}}");
        for (int i = 0; i < services; i++) {
            server.put(TestApiServer.SERVICES, service(i));
            server.put(TestApiServer.SLICES, slice(i, endpoints, 0));
        }
    }

    static String service(int i) {
        String ip = "10." + (96 + (i >> 16)) + "." + ((i >> 8) & 255) + "." + (i & 255);
        return """
                {"kind":"Service","apiVersion":"v1","metadata":{"name":"service-%1$d","namespace":"shop-%2$d",\
                "uid":"7fe1bb6c-3ff4-41ba-8e7a-%1$012d","creationTimestamp":"2026-11-20T10:00:00Z","labels":{"app":"service-%1$d"},\
                "managedFields":[{"manager":"kubectl","operation":"Update","apiVersion":"v1","time":"2026-11-20T10:00:00Z",\
                "fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:internalTrafficPolicy":{},\
                "f:ports":{".":{},"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{},"f:port":{},"f:protocol":{},\
                "f:targetPort":{}}},"f:selector":{},"f:sessionAffinity":{},"f:type":{}}}}]},"spec":{"ports":[{"name":"http",\
                "protocol":"TCP","port":80,"targetPort":8080}],"selector":{"app":"service-%1$d"},"clusterIP":"%3$s",\
                "clusterIPs":["%3$s"],"type":"ClusterIP","sessionAffinity":"None","ipFamilies":["IPv4"],\
                "ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster"},"status":{"loadBalancer":{}}}""".formatted(i, i % 50, ip);
    }

    /** A slice whose port number is its version, modulo 50 000. */
    static String slice(int i, int endpoints, int version) {
        StringBuilder json = new StringBuilder("""
                {"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","metadata":{"name":"service-%1$d-x7k2p",\
                "generateName":"service-%1$d-","namespace":"shop-%2$d","uid":"11b80ac5-8a44-4efd-9c5a-%1$012d",\
                "creationTimestamp":"2026-11-20T10:00:00Z","labels":{"app":"service-%1$d",\
                "endpointslice.kubernetes.io/managed-by":"endpointslice-controller.k8s.io",\
                "kubernetes.io/service-name":"service-%1$d"},"annotations":{\
                "endpoints.kubernetes.io/last-change-trigger-time":"2026-11-20T10:00:00Z"},"ownerReferences":[{"apiVersion":"v1",\
                "kind":"Service","name":"service-%1$d","uid":"7fe1bb6c-3ff4-41ba-8e7a-%1$012d","controller":true,\
                "blockOwnerDeletion":true}]},"addressType":"IPv4","endpoints":[""".formatted(i, i % 50));
        for (int j = 0; j < endpoints; j++) {
            int pod = (i * endpoints + j) & 0xFFFFFF;
            json.append(j == 0 ? "" : ",").append("""
                    {"addresses":["10.%d.%d.%d"],"conditions":{"ready":true,"serving":true,"terminating":false},\
                    "targetRef":{"kind":"Pod","namespace":"shop-%d","name":"service-%d-%d","uid":"2d4c2c42-5b9e-4b62-8b1f-%012d"},\
                    "nodeName":"node-%d","zone":"zone-%d","hints":{"forZones":[{"name":"zone-%d"}]}}""".formatted(
                            pod >> 16, (pod >> 8) & 255, pod & 255, i % 50, i, j, pod, pod % NODES, pod % 3, pod % 3));
        }
        return json.append("],\"ports\":[{\"name\":\"http\",\"protocol\":\"TCP\",\"port\":")
                .append(8080 + version % 50_000)
                .append("}]}")
                .toString();
    }
}
