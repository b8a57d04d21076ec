package dev.nodepath.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The table of rooms in docs/design.md, held. */
@AnalyzeClasses(
        packages = "dev.nodepath",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.NoTestJars.class})
class ArchitectureTest {
    /** Helpers of other modules' tests come in jars. */
    static final class NoTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    @ArchTest
    static final ArchRule NO_CIRCLE_BETWEEN_PACKAGES =
            slices().matching("dev.nodepath.(**)").should().beFreeOfCycles();

    /** Modules may have parallel names for parallel things. */
    @ArchTest
    static void eachSimpleNameIsThereOnceInAModule(JavaClasses classes) {
        Map<String, Set<String>> names = new TreeMap<>();
        for (JavaClass each : classes) {
            if (each.isTopLevelClass() && !each.getSimpleName().equals("package-info")) {
                String module = each.getPackageName().replaceFirst("(dev\\.nodepath\\.(proxy\\.)?\\w+).*", "$1");
                names.computeIfAbsent(module + ": " + each.getSimpleName(), name -> new TreeSet<>())
                        .add(each.getName());
            }
        }
        names.values().removeIf(same -> same.size() == 1);
        assertThat(names).isEmpty();
    }

    @ArchTest
    static final ArchRule DEPENDENCIES_POINT_DOWN = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("dev.nodepath..")
            .layer("linux-net")
            .definedBy("dev.nodepath.linux..")
            .layer("api-server")
            .definedBy("dev.nodepath.apiserver..")
            .optionalLayer("controllers")
            .definedBy("dev.nodepath.controllers..")
            .optionalLayer("cluster-dns")
            .definedBy("dev.nodepath.dns..")
            .layer("endpoints-watcher")
            .definedBy("dev.nodepath.endpoints..")
            .optionalLayer("network-policy")
            .definedBy("dev.nodepath.policy..")
            .layer("proxy-iptables")
            .definedBy("dev.nodepath.proxy.iptables..")
            .layer("proxy-nftables")
            .definedBy("dev.nodepath.proxy.nftables..")
            .layer("proxy-userspace")
            .definedBy("dev.nodepath.proxy.userspace..")
            .layer("cni-bridge")
            .definedBy("dev.nodepath.cni..")
            .layer("node-agent")
            .definedBy("dev.nodepath.agent..")
            .layer("report")
            .definedBy("dev.nodepath.report..")
            .layer("page")
            .definedBy("dev.nodepath.page..")
            .layer("emulator")
            .definedBy("dev.nodepath.emulator..")
            .layer("bench")
            .definedBy("dev.nodepath.bench..")
            .layer("cli")
            .definedBy("dev.nodepath.cli..")
            .whereLayer("linux-net")
            .mayNotAccessAnyLayer()
            .whereLayer("api-server")
            .mayOnlyAccessLayers("linux-net")
            .whereLayer("controllers")
            .mayOnlyAccessLayers("linux-net", "api-server")
            .whereLayer("cluster-dns")
            .mayOnlyAccessLayers("linux-net", "api-server")
            .whereLayer("endpoints-watcher")
            .mayOnlyAccessLayers("linux-net")
            .whereLayer("network-policy")
            .mayOnlyAccessLayers("linux-net", "endpoints-watcher")
            .whereLayer("proxy-iptables")
            .mayOnlyAccessLayers("linux-net", "endpoints-watcher")
            .whereLayer("proxy-nftables")
            .mayOnlyAccessLayers("linux-net", "endpoints-watcher")
            .whereLayer("proxy-userspace")
            .mayOnlyAccessLayers("linux-net", "endpoints-watcher")
            .whereLayer("cni-bridge")
            .mayOnlyAccessLayers("linux-net")
            .whereLayer("node-agent")
            .mayOnlyAccessLayers(
                    "linux-net",
                    "endpoints-watcher",
                    "network-policy",
                    "proxy-iptables",
                    "proxy-nftables",
                    "proxy-userspace",
                    "cni-bridge")
            .whereLayer("report")
            .mayNotAccessAnyLayer()
            .whereLayer("page")
            .mayNotAccessAnyLayer()
            .whereLayer("emulator")
            .mayOnlyAccessLayers(
                    "linux-net",
                    "api-server",
                    "controllers",
                    "cluster-dns",
                    "endpoints-watcher",
                    "network-policy",
                    "proxy-iptables",
                    "proxy-nftables",
                    "proxy-userspace",
                    "cni-bridge",
                    "node-agent",
                    "report",
                    "page")
            .whereLayer("bench")
            .mayOnlyBeAccessedByLayers("cli")
            .whereLayer("cli")
            .mayNotBeAccessedByAnyLayer();

    @ArchTest
    static final ArchRule API_SERVER_SEES_VALUES_OF_LINUX_NET_ONLY = noClasses()
            .that()
            .resideInAnyPackage("dev.nodepath.apiserver..", "dev.nodepath.controllers..")
            .should()
            .dependOnClassesThat(resideInAPackage("dev.nodepath.linux..")
                    .and(resideOutsideOfPackages("dev.nodepath.linux.address..", "dev.nodepath.linux.time..")));

    @ArchTest
    static final ArchRule NATIVE_CALLS_ARE_MADE_IN_LINUX_NET_ONLY = noClasses()
            .that()
            .resideOutsideOfPackage("dev.nodepath.linux..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("jnr..", "com.kenai.jffi..");

    @ArchTest
    static final ArchRule NETTY_IS_FOR_RELAYS_AND_SERVERS = noClasses()
            .that()
            .resideOutsideOfPackages(
                    "dev.nodepath.proxy.userspace..",
                    "dev.nodepath.apiserver..",
                    "dev.nodepath.dns..",
                    "dev.nodepath.page..",
                    "dev.nodepath.emulator..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..");

    @ArchTest
    static final ArchRule KUBERNETES_CLIENT_STAYS_IN_ITS_SOURCE = noClasses()
            .that()
            .resideOutsideOfPackage("dev.nodepath.endpoints.source.kubernetes..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.fabric8..");

    @ArchTest
    static final ArchRule MARKDOWN_IS_FOR_LESSONS = noClasses()
            .that()
            .haveNameNotMatching("dev\\.nodepath\\.page\\.Lessons(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.commonmark..");

    @ArchTest
    static final ArchRule CNI_PATH_STAYS_LIGHT = classes()
            .that()
            .resideInAPackage("dev.nodepath.cni..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.nodepath.cni..",
                    "dev.nodepath.linux..",
                    "com.fasterxml.jackson.core..",
                    "java..",
                    "org.jspecify.annotations..");

    @ArchTest
    static final ArchRule REPORT_NEEDS_A_JSON_LIBRARY_ONLY = classes()
            .that()
            .resideInAPackage("dev.nodepath.report..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.nodepath.report..", "com.fasterxml.jackson..", "java..", "org.jspecify.annotations..");

    @ArchTest
    static final ArchRule LINUX_NET_NEEDS_NO_FRAMEWORK = classes()
            .that()
            .resideInAPackage("dev.nodepath.linux..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("dev.nodepath.linux..", "jnr..", "java..", "org.jspecify.annotations..");
}
