package dev.nodepath.apiserver.validation;

import java.util.List;

/** Probes, and the actions of probes and of a container's life cycle. */
final class ProbeValidation {
    private static final List<String> HANDLERS = List.of("exec", "httpGet", "tcpSocket", "grpc", "sleep");

    private ProbeValidation() {}

    static void validate(ObjectField container) {
        ObjectField liveness = container.at("livenessProbe");
        ObjectField readiness = container.at("readinessProbe");
        ObjectField startup = container.at("startupProbe");
        for (ObjectField probe : List.of(liveness, readiness, startup)) {
            handler(probe);
            for (String number : List.of(
                    "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")) {
                probe.at(number).notNegative();
            }
        }
        for (ObjectField probe : List.of(liveness, startup)) {
            if (probe.isPresent() && probe.at("successThreshold").number() > 1) {
                probe.at("successThreshold").invalid("must be 1");
            }
            ObjectField grace = probe.at("terminationGracePeriodSeconds");
            if (grace.isPresent() && grace.number() <= 0) {
                grace.invalid("must be greater than 0");
            }
        }
        if (readiness.at("terminationGracePeriodSeconds").isPresent()) {
            readiness.at("terminationGracePeriodSeconds").invalid("must not be set for readinessProbes");
        }
    }

    /** The action of a probe or a hook: exactly one. */
    static void handler(ObjectField handler) {
        if (!handler.isPresent()) {
            return;
        }
        List<ObjectField> actions = HANDLERS.stream()
                .map(handler::at)
                .filter(ObjectField::isPresent)
                .toList();
        if (actions.isEmpty()) {
            handler.required("must specify a handler type");
        }
        actions.stream().skip(1).forEach(each -> each.forbidden("may not specify more than 1 handler type"));
        if (handler.at("exec").isPresent()) {
            handler.at("exec").at("command").require("");
        }
        if (handler.at("httpGet").isPresent()) {
            httpGet(handler.at("httpGet"));
        }
        if (handler.at("tcpSocket").isPresent()) {
            CommonValidation.portReference(handler.at("tcpSocket").at("port"));
        }
        if (handler.at("grpc").isPresent()) {
            CommonValidation.port(handler.at("grpc").at("port"));
        }
    }

    private static void httpGet(ObjectField get) {
        get.at("path").require("");
        CommonValidation.portReference(get.at("port"));
        get.at("scheme").oneOf("HTTP", "HTTPS");
        get.at("httpHeaders").items().forEach(header -> NameFormat.HTTP_HEADER.check(header.at("name")));
    }
}
